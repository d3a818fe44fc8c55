"""Records what the clients of a database on a local socket ask, for benches/dialogue.rs.

Its clients connect to another socket, and whatever they send is passed on and written to a file
for each connection: for every question its length and that of its answer (four bytes each,
little-endian), and the question. A question ends where an answer begins.
"""

import selectors
import socket
import struct
import threading
from pathlib import Path

BYTES = 1 << 20


class Recorder:
    """Within a `with`, records to files in `folder` what is asked at `path` of the server at
    `server`; `files` has them afterwards, complete connections alone."""

    def __init__(self, path, server, folder):
        self.path, self.server, self.folder = Path(path), str(server), Path(folder)
        self.files, self.connections = [], []

    def __enter__(self):
        self.path.unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen(128)
        self.accepting = threading.Thread(target=self.accept)
        self.accepting.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.accepting.join()
        for connection in self.connections:
            connection.join()
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.server)
            file = self.folder / f"{self.path.name}.{len(self.connections)}"
            self.files.append(file)
            self.connections.append(
                threading.Thread(target=record, args=(client, server, file))
            )
            self.connections[-1].start()


def record(client, server, file):
    """One connection, to its end. A client of these protocols asks and then waits for the answer,
    so whichever side has something to say has the word."""
    question, answered = b"", 0
    with open(file, "wb") as out, client, server:
        ready = {client: server, server: client}
        with selectors.DefaultSelector() as both:
            for side in ready:
                both.register(side, selectors.EVENT_READ)
            while True:
                for key, _ in both.select():
                    said = key.fileobj.recv(BYTES)
                    if not said:
                        return
                    if key.fileobj is client:
                        if answered:
                            out.write(struct.pack("<II", len(question), answered) + question)
                            question, answered = b"", 0
                        question += said
                    else:
                        answered += len(said)
                    ready[key.fileobj].sendall(said)
