import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import { createWebSocketStream, WebSocketServer } from 'ws';
import { agreeInSlices } from '../turns/handshakes.ts';
import { Strangers } from './strangers.ts';

/** A connection that has sent its first bytes, whatever carries it. */
export interface Arrived {
  readonly stream: Duplex;
  /** The name of the service that was asked for. */
  readonly host: string | undefined;
  /** The client has come in: it may stay. */
  readonly onConnected: () => void;
  /** In a WebSocket. */
  readonly watchFrames?: WatchFrames;
}

/** Tells how many bytes there are of a message of the WebSocket that is not whole; 0 when it is. */
export type WatchFrames = (tell: (bytes: number) => void) => void;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined without TLS. */
  readonly tls: SecureContextOptions | undefined;
  /** A connection that has not come in by then is closed. */
  readonly connectTimeoutMs: number;
  readonly maxPacketBytes: number;
  readonly onArrived: (arrived: Arrived) => void;
  readonly onSlow: () => void;
}

export interface MqttListener {
  readonly server: Server;
  /** As people write it: `mqtt://127.0.0.1:1883`. */
  readonly url: string;
  reloadTls(tls: SecureContextOptions): void;
  close(): Promise<void>;
}

/** What the frames of a WebSocket may take besides a packet. */
const frameBytes = 64 * 1024;
/** How long connections may take to end by themselves when the service stops. */
const lastWordsMs = 2500;
/** The first byte of a WebSocket: the G of GET. */
const beginsHttp = 0x47;

/**
 * Takes MQTT, and MQTT in a WebSocket, at one address: the first byte tells them apart. Rejects where the address
 * cannot be had.
 */
export async function listenMqtt(options: ListenOptions): Promise<MqttListener> {
  const { tls, connectTimeoutMs, onSlow } = options;
  const opening = new Map<Socket, NodeJS.Timeout>();
  const all = new Set<Socket>();
  const strangers = new Strangers();
  const webSockets = webSocketsOf(options, (socket) => admitted(socket));
  const admitted = (socket: Socket): void => {
    clearTimeout(opening.get(socket));
    opening.delete(socket);
    strangers.remove(socket);
  };
  const begin = (socket: Socket): void => {
    const late = setTimeout(() => {
      onSlow();
      socket.destroy();
    }, connectTimeoutMs);
    opening.set(socket, late);
    strangers.add(socket);
    socket.once('close', () => admitted(socket));
    socket.on('error', () => socket.destroy());
  };
  const arrive = (socket: Socket): void => {
    socket.setNoDelay(true);
    if (socket instanceof TLSSocket) begin(socket);
    const leave = (): void => void socket.end();
    socket.once('end', leave);
    socket.once('data', (chunk: Buffer) => {
      socket.removeListener('end', leave);
      socket.pause();
      socket.unshift(chunk);
      if (chunk[0] === beginsHttp) {
        webSockets.emit('connection', socket);
        socket.resume();
        return;
      }
      const host =
        socket instanceof TLSSocket && typeof socket.servername === 'string' ? socket.servername : undefined;
      options.onArrived({ stream: socket, host, onConnected: () => admitted(socket) });
      socket.resume();
    });
  };
  const server =
    tls === undefined
      ? // Whoever has the socket ends it: the ends of very many are taken in slices.
        createServer({ allowHalfOpen: true }, (socket) => {
          begin(socket);
          arrive(socket);
        })
      : createTlsServer({ ...tls, handshakeTimeout: connectTimeoutMs }, arrive);
  if (tls !== undefined)
    agreeInSlices(server as TlsServer, { silenceMs: connectTimeoutMs, onSilent: onSlow });
  server.on('connection', (socket: Socket) => {
    all.add(socket);
    socket.once('close', () => all.delete(socket));
  });
  server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const name = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    server,
    url: `${tls === undefined ? 'mqtt' : 'mqtts'}://${name}:${port}`,
    reloadTls: (fresh) => (server as TlsServer).setSecureContext(fresh),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of opening.keys()) socket.destroy();
        // Also what is still agreeing on TLS, or does not take its last words.
        setTimeout(() => {
          for (const socket of all) socket.destroy();
        }, lastWordsMs).unref();
      }),
  };
}

function webSocketsOf({ maxPacketBytes, onArrived }: ListenOptions, admitted: (socket: Socket) => void) {
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    handleProtocols: (offered) => ['mqtt', 'mqttv3.1'].find((name) => offered.has(name)) ?? false,
    maxPayload: maxPacketBytes + frameBytes,
    skipUTF8Validation: true,
  });
  const http = createHttpServer((_request, response) => {
    response.writeHead(426, { Connection: 'close', Upgrade: 'websocket', 'Content-Type': 'text/plain' });
    response.end('MQTT is spoken here, over TCP or in a WebSocket.\n');
  });
  http.on('upgrade', (request, socket: Socket, head: Buffer) => {
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const stream = createWebSocketStream(webSocket);
      const watchFrames: WatchFrames = (tell) => {
        let bytes = 0;
        webSocket.on('message', () => {
          bytes = 0;
          tell(bytes);
        });
        socket.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          tell(bytes);
        });
      };
      const { host } = request.headers;
      onArrived({ stream, host, onConnected: () => admitted(socket), watchFrames });
    });
  });
  return http;
}
