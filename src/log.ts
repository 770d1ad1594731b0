import { destination, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * The structured log: JSON lines on standard error, so that standard output stays for what the command says.
 * Nothing may log a token, a whole header or a payload, but for the text of slow queries; who logs names its fields one
 * by one.
 */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    destination({ fd: 2, sync: true }),
  );
}
