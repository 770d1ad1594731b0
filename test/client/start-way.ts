import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

/** A way to the service that can go dark: what comes then is taken and never answered, until there is light again. */
export async function startWay(to: string) {
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  const way = {
    isDark: false,
    held: () => held.length,
    /** Ends what is there. */
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    light() {
      way.isDark = false;
      for (const go of held) go();
    },
    url: '',
  };
  const server = createServer((socket) => {
    const pass = () => {
      const service = connect(Number(new URL(to).port), '127.0.0.1');
      sockets.add(service);
      for (const end of [socket, service]) end.on('error', () => end.destroy());
      socket.pipe(service).pipe(socket);
    };
    sockets.add(socket);
    if (way.isDark) held.push(pass);
    else pass();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    way.cut();
  });
  way.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return way;
}
