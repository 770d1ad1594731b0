import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import type { Asked } from './http-request.ts';
import type { Chunk, Result } from './native.ts';

/** Sends a whole answer, or one that comes block by block. */
export async function answerWith(
  response: ServerResponse,
  asked: Asked,
  result: Result | AsyncGenerator<Chunk>,
): Promise<void> {
  const { job } = asked;
  response.setHeader('X-ClickHouse-Format', job.statement.format ?? job.format);
  response.setHeader('X-ClickHouse-Server-Display-Name', 'engine');
  response.setHeader('X-ClickHouse-Timezone', 'UTC');
  response.setHeader('Content-Type', 'application/octet-stream');
  if (asked.takesGzip) response.setHeader('Content-Encoding', 'gzip');
  if ('bytes' in result) {
    response.setHeader('X-ClickHouse-Summary', summary(asked, result));
    response.end(asked.takesGzip ? gzipSync(result.bytes) : result.bytes);
  } else {
    await sendBlocks(response, asked, result);
  }
}

async function sendBlocks(
  response: ServerResponse,
  asked: Asked,
  blocks: AsyncGenerator<Chunk>,
): Promise<void> {
  // What goes wrong before the first block is answered with a status.
  let block = await blocks.next();
  const tag = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  response.setHeader('X-ClickHouse-Exception-Tag', tag);
  const out = asked.takesGzip ? createGzip() : response;
  if (out !== response) out.pipe(response);
  try {
    while (block.done !== true && !response.destroyed) {
      if (!out.write(block.value.bytes)) await drained(out, response);
      block = await blocks.next();
    }
    if (!response.destroyed) {
      out.end();
      await finished(out, { readable: false });
    }
  } catch (error) {
    const message = `${(error as Error).message}\n`;
    const [mark, end] = ['__exception__\r\n', `\r\n__exception__\r\n`];
    out.write(`\r\n${mark}${tag}\r\n${message}${Buffer.byteLength(message)} ${tag}${end}`);
    // No last chunk: whoever does not look for the mark sees an answer that was cut.
    setImmediate(() => response.socket?.destroySoon());
  } finally {
    await blocks.return(undefined);
  }
}

/** Until there is room again, or nobody is left to take it. */
function drained(out: NodeJS.WritableStream, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      out.off('drain', done);
      response.off('close', done);
      resolve();
    };
    out.on('drain', done);
    response.on('close', done);
  });
}

function summary({ job }: Asked, { rowsRead, bytesRead, elapsed }: Result): string {
  const isInsert = job.statement.kind === 'insert';
  return JSON.stringify({
    read_rows: String(rowsRead),
    read_bytes: String(bytesRead),
    written_rows: String(isInsert ? rowsRead : 0),
    written_bytes: String(isInsert ? bytesRead : 0),
    total_rows_to_read: '0',
    result_rows: String(rowsRead),
    result_bytes: String(bytesRead),
    elapsed_ns: String(Math.round(elapsed * 1e9)),
  });
}

/** Answers with the engine's own text of an error, and the status that ClickHouse has for its code. */
export function refuse(response: ServerResponse, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const code = Number(/Code: (\d+)/.exec(message)?.[1] ?? 1002);
  const said = message.startsWith('Code:')
    ? message
    : `Code: ${code}. DB::Exception: ${message}. (UNKNOWN_EXCEPTION)`;
  response.removeHeader('Content-Encoding');
  response.writeHead(statuses.get(code) ?? 500, {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': String(code),
  });
  response.end(`${said} (version 26.7.2.1 (official build))\n`);
}

const statuses: ReadonlyMap<number, number> = new Map([
  ...[6, 26, 27, 28, 38, 41, 53, 62, 69, 70, 72, 456, 457].map((code) => [code, 400] as const),
  ...[46, 47, 50, 56, 60, 73, 81, 115].map((code) => [code, 404] as const),
  ...[192, 193, 497, 516].map((code) => [code, 403] as const),
  [48, 501],
  [159, 408],
  [162, 413],
  [209, 503],
]);
