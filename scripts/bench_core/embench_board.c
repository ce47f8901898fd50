/* embench_board.c - empty implementation of Embench's board support. */
void initialise_board(void)
{
}
void start_trigger(void)
{
}
void stop_trigger(void)
{
}
