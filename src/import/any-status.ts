/** Every status, for a filter of streams: one in the bin has its rows too, and a write to its id brings it back. */
export { statuses as anyStatus } from '../domain/stream.ts';
