import type { FunctionOfLibrary } from './patch-library.ts';

/**
 * The handler of errors that nobody caught (KillingErrorHandler::exception). A server of ClickHouse logs them and goes on; the
 * library ends the process, as when another server is killed while it sends.
 */
export const lostConnections: FunctionOfLibrary = {
  at: 0xf113480,
  begins: Buffer.from('50e8fa66e211', 'hex'),
  // ret
  body: Buffer.from('c3', 'hex'),
};
