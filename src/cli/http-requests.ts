import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';

/** Requests to one service, over connections that are kept. */
export interface HttpRequests {
  /** Resolves with the head of the answer, whose body has to be read; rejects with the system's error. */
  send(address: URL, request: HttpRequest): Promise<IncomingMessage>;
  close(): void;
}

export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export function createHttpRequests({ protocol }: URL): HttpRequests {
  const isSecure = protocol === 'https:';
  const agent = isSecure ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const request = isSecure ? httpsRequest : httpRequest;
  return {
    send: (address, { method, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
        const outgoing = request(
          address,
          { method, headers: { ...headers, ...length }, agent, ...(signal && { signal }) },
          resolve,
        );
        outgoing.on('error', reject);
        outgoing.end(body);
      }),
    close() {
      agent.destroy();
    },
  };
}

export async function collect(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
