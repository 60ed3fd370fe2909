/* turns.c -- a byte down a pipe is a turn, a byte back its end; a closed pipe ends the game. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "turns.h"

static bool whole(ssize_t (*move)(int, void *, size_t), int fd, void *what, size_t size)
{
    char *at = what;

    for (ssize_t got; size; at += got, size -= (size_t)got)
        if ((got = move(fd, at, size)) <= 0)
            return false;
    return true;
}

static ssize_t put(int fd, void *what, size_t size)
{
    return write(fd, what, size);
}

static void need(bool done)
{
    if (!done)
        exit(1); /* the other side has said why */
}

void turns_start(player *all, int i, void (*play)(const void *what, const player *self),
                 const void *what)
{
    int there[2], back[2];
    char word;

    need(!pipe(there) && !pipe(back));
    fflush(stdout);
    all[i].pid = fork();
    need(all[i].pid >= 0);
    if (!all[i].pid) {
        const player self = {getpid(), back[1], there[0]};

        close(there[1]);
        close(back[0]);
        for (int k = 0; k < i; k++) { /* else those would never see the end */
            close(all[k].to);
            close(all[k].from);
        }
        play(what, &self);
        exit(0);
    }
    close(there[0]);
    close(back[1]);
    all[i].to = there[1];
    all[i].from = back[0];
    need(whole(read, all[i].from, &word, 1));
}

bool turns_wait(const player *self)
{
    char word = 'g';

    return whole(put, self->to, &word, 1) && whole(read, self->from, &word, 1);
}

void turns_tell(const player *self, const void *result, size_t size)
{
    need(whole(put, self->to, (void *)result, size));
}

void turns_take(const player *p)
{
    char word = 'g';

    need(whole(put, p->to, &word, 1) && whole(read, p->from, &word, 1));
}

void turns_end(player *p, void *result, size_t size)
{
    int status;

    close(p->to);
    need(whole(read, p->from, result, size));
    close(p->from);
    need(waitpid(p->pid, &status, 0) == p->pid && !status);
}
