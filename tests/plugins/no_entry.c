/* no_entry.c: a shared object that is no plug-in. */
int no_entry(void);
int no_entry(void)
{
    return 1;
}
