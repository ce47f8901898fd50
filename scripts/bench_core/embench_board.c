/* embench_board.c - the board that Embench asks for: none. */
void initialise_board(void)
{
}
void start_trigger(void)
{
}
void stop_trigger(void)
{
}
