/** The store cannot be used; the message is one line for the person who started the service. */
export class CannotOpen extends Error {}
