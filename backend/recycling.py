"""Recycling: large results that nobody holds any more give their memory to the next call.

    program.run = Recycling(run, again, large, seconds).run

Memory of more than 32 MiB goes back to the system when it is freed, so that each call gets new pages, which the system clears and maps
one by one while the program writes them. On a 2-core x86-64 machine that is 54 of the 81 ms that a product of 205 MB takes.

A program with such results is compiled a second time with a donated parameter for each of them, once its calls have lost as much
time as that takes (both costs are then within a factor of two of the best choice). From then on a call whose earlier results are
dead writes into their memory; where one still lives, the call gets new memory as before. A result is dead when this module holds
the only reference to its buffer; XLA itself does not overwrite memory that an ndarray or another library still looks at.
"""

import functools
import sys
import threading

from . import settings

LARGE = 1 << 25
"""Bytes of a result beyond which its memory is kept: glibc's malloc gives larger blocks back to the system at once."""
SECONDS_PER_BYTE = 2.5e-10
"""What new pages cost, measured as said above."""


class Entry:
    """A result that may be free: the key of its type, its bytes, and a list with its buffer alone."""

    __slots__ = ("holder", "key", "size")

    def __init__(self, key, size, buffer):
        self.key, self.size, self.holder = key, size, [buffer]

    def is_free(self):
        return references(self.holder) == ALONE and not self.holder[0].is_deleted()


class Store:
    """Buffers of results, the newest last; those that only the store refers to are free. limit: the bytes that it may refer to."""

    def __init__(self, limit):
        self.limit, self.size = limit, 0
        self.entries, self.lock = [], threading.Lock()

    def keep(self, key, buffer, size):
        """Add a result; what came first is forgotten where there is no room."""
        with self.lock:
            self.entries.append(Entry(key, size, buffer))
            self.size += size
            while self.size > self.limit:
                self.size -= self.entries.pop(0).size

    def take(self, keys):
        """A free buffer for each key, which the store forgets; [] unless there is one for each."""
        with self.lock:
            chosen = []
            for key in keys:
                found = next((e for e in self.entries if e.key == key and e not in chosen and e.is_free()), None)
                if found is None:
                    return []
                chosen.append(found)
            for entry in chosen:
                self.entries.remove(entry)
                self.size -= entry.size
            return [entry.holder.pop() for entry in chosen]

    def clear(self):
        with self.lock:
            self.entries.clear()
            self.size = 0


def references(holder):
    """How many references there are to the only item of a list."""
    return sys.getrefcount(holder[0])


ALONE = references([object()])


@functools.cache
def store():
    """The store of the process."""
    return Store(settings.recycled_bytes())


def clear():
    """Give the memory of all dead results back."""
    store().clear()


class Recycling:
    """How a program with large results runs.

    plain: jaxlib's function that runs it; again(): compiles it with parameters for the memory of its large results after the others
    and returns that program's function; large: position of a large result -> (key of its type, bytes); seconds: of the processor, what
    compiling took.
    """

    def __init__(self, plain, again, large, seconds):
        self.plain, self.again, self.large = plain, again, large
        self.price = seconds
        self.loss = sum(size for _, size in large.values()) * SECONDS_PER_BYTE
        self.into, self.lock = None, threading.Lock()

    def run(self, buffers, with_tokens=False):
        """Like `plain`: what it returns gives the results and a token."""
        memory = store().take([key for key, _ in self.large.values()])
        if memory and not self.is_worth():
            memory = []
        run = self.into if memory else self.plain
        return Results(run([*buffers, *memory], with_tokens), self.large)

    def is_worth(self):
        """Whether the program that writes into given memory is there; it is made once it would have saved what it costs."""
        with self.lock:
            if self.into is None:
                self.price -= self.loss
                if self.price > 0:
                    return False
                self.into = self.again()
            return True


class Results:
    """What a program that ran gives, in jaxlib's terms; the large ones are remembered when they are taken."""

    def __init__(self, done, large):
        self.done, self.large = done, large

    def consume_token(self):
        return self.done.consume_token()

    def consume_with_handlers(self, handlers):
        results = self.done.consume_with_handlers(handlers)
        for position, (key, size) in self.large.items():
            store().keep(key, results[position], size)
        return results


__all__ = ["LARGE", "Recycling", "clear"]
