# The engine of ClickHouse as the server that it is, in a process of its own: its command `clickhouse local` listens for HTTP
# and for other servers (SYSTEM START LISTEN). Node.js cannot call that function of the library.
#
#   python3 serve.py LIBRARY ARGUMENT…
#
# Prints `loaded`, and runs the command when it has read a line. Ends when its standard input does.
import ctypes
import os
import sys
import threading


class Result(ctypes.Structure):
    _fields_ = [
        ("buffer", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("vector", ctypes.c_void_p),
        ("elapsed", ctypes.c_double),
        ("rows", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("error", ctypes.c_char_p),
    ]


def serve(library, arguments):
    run = library.query_stable_v2
    run.restype = ctypes.POINTER(Result)
    result = run(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments))
    print("ended:", result.contents.error, flush=True)
    os._exit(1)


library = ctypes.CDLL(sys.argv[1])
arguments = [b"clickhouse", *(text.encode() for text in sys.argv[2:])]
print("loaded", flush=True)
sys.stdin.readline()
threading.Thread(target=serve, args=(library, arguments), daemon=True).start()
sys.stdin.read()
os._exit(0)
