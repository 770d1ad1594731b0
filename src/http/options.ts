import type { FastifyReply, FastifyRequest } from 'fastify';
import { allowedMethods } from './allowed-methods.ts';
import type { Route } from './route.ts';

/** All that any address takes, beside OPTIONS. */
const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;

/**
 * Answers OPTIONS: of an address, or of `*`, which is the service. A browser asks so before a page of another origin sends
 * a request. Where there is nothing that request is let through, so that the page can read the 404.
 */
export function answerOptions(routes: readonly Route[], request: FastifyRequest, reply: FastifyReply) {
  const found = request.url === '*' ? allMethods : allowedMethods(routes, request.url);
  if (found !== undefined) reply.header('allow', [...found, 'OPTIONS'].join(', '));
  reply.header('access-control-allow-methods', (found ?? allMethods).join(', '));
  // Some browsers wait for a body otherwise.
  return reply.code(204).header('content-length', '0').send();
}
