"""TLS in front of a server that has none.

    tls_front.py PORT-FILE TARGET-PORT CERTIFICATE KEY [CA]     with CA: the client needs a certificate of it
"""
import os
import socket
import ssl
import sys
import threading


def pump(source, target):
    try:
        while True:
            data = source.recv(1 << 16)
            if not data:
                break
            target.sendall(data)
    except OSError:
        pass
    for s in (source, target):
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(raw, context, port):
    try:
        client = context.wrap_socket(raw, server_side=True)
        target = socket.create_connection(("127.0.0.1", port))
    except (OSError, ssl.SSLError):
        raw.close()
        return
    threading.Thread(target=pump, args=(client, target), daemon=True).start()
    pump(target, client)


def main():
    port_file, port, certificate, key = sys.argv[1:5]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if len(sys.argv) > 5:
        context.load_verify_locations(sys.argv[5])
        context.verify_mode = ssl.CERT_REQUIRED
    listener = socket.create_server(("127.0.0.1", 0))
    with open(port_file + ".new", "w", encoding="ascii") as f:
        f.write(str(listener.getsockname()[1]))
    os.rename(port_file + ".new", port_file)
    while True:
        raw, _ = listener.accept()
        threading.Thread(target=serve, args=(raw, context, int(port)), daemon=True).start()


main()
