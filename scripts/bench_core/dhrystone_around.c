/* dhrystone_around.c - the library functions that Dhrystone 2.1 needs, without output, and a check
 * of its results.  RUNS: number of runs.  The benchmark's own main is compiled as dhrystone. */
#undef main
extern int Int_Glob, Bool_Glob, Arr_1_Glob[50], Arr_2_Glob[50][50];
extern char Ch_1_Glob, Ch_2_Glob;
int dhrystone(void);
__attribute__((noinline)) void region_begin(void)
{
    __asm__ volatile("");
}
__attribute__((noinline)) void region_end(void)
{
    __asm__ volatile("");
}
long time(long *unused)
{
    static int begun;
    begun ? region_end() : region_begin();
    return begun++ ? 1000 : 0;
}
int scanf(const char *format, int *runs)
{
    return *runs = RUNS, 1;
}
int printf(const char *format, ...)
{
    return 0;
}
int puts(const char *text)
{
    return 0;
}
int putchar(int c)
{
    return c;
}
void *malloc(unsigned bytes)
{
    static unsigned heap[64];
    static unsigned used;
    void *at = &heap[used];
    used += (bytes + 3) / 4;
    return at;
}
int main(void)
{
    dhrystone();
    return !(Int_Glob == 5 && Bool_Glob == 1 && Ch_1_Glob == 'A' && Ch_2_Glob == 'B' &&
             Arr_1_Glob[8] == 7 && Arr_2_Glob[8][7] == RUNS + 10);
}
