import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody } from './body.ts';

/**
 * Tells a client that waits with its body (Expect: 100-continue) to send it when somebody listens for it, so that what the head alone
 * shows to be wrong is said before. Node makes such an answer the last of its connection: nobody knows whether what comes next is the
 * body or a request (RFC 9110, section 10.1.1).
 */
export function holdContinue(request: IncomingMessage, response: ServerResponse): void {
  if (!isAwaited(request)) return;
  if (!announcesBody(request.headers)) {
    response.writeContinue();
    return;
  }
  const invite = (event: string | symbol): void => {
    if ((event !== 'data' && event !== 'readable') || response.headersSent) return;
    request.off('newListener', invite);
    response.writeContinue();
  };
  request.on('newListener', invite);
}

/** The client waits for a 100 before it sends the body. */
function isAwaited({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.expect?.trim().toLowerCase() === '100-continue';
}
