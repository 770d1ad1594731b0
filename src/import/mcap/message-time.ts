/** Which of its times a message has as a row: when it was recorded, when it was sent, or what it says itself. */
export type MessageTime = 'log' | 'publish' | 'stamp';
export const messageTimes: readonly MessageTime[] = ['log', 'publish', 'stamp'];
