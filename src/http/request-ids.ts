import { randomBytes } from 'node:crypto';

/** Ids that are distinct across restarts and cheap to make. */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let next = 0;
  return () => `${prefix}-${(next++).toString(36)}`;
}
