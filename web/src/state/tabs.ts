import { tried } from './stored.ts';

/** What tabs of this service tell each other, within one browser. */
type Message = { readonly asks: true } | { readonly token: string } | { readonly signedOut: true };

/** What a tab does when another one speaks. */
export interface Listener {
  /** The token that it may hand on; empty where it has none. */
  readonly own: () => string;
  /** Another tab has handed on its token. */
  readonly onToken: (token: string) => void;
  readonly onSignedOut: () => void;
}

/**
 * Tabs hand the token on from one to another: nothing of it is stored where it would outlive the last tab. Only pages of the
 * same address hear each other; some browsers that are told to keep nothing let them hear nothing either.
 */
const channel = tried(() => new BroadcastChannel('pitwall.tabs'));

export function listen({ own, onToken, onSignedOut }: Listener): void {
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if ('signedOut' in data) onSignedOut();
    else if ('token' in data) onToken(data.token);
    else if (own() !== '') send({ token: own() });
  });
}

/** Asks the others for a token. */
export function askForToken(): void {
  send({ asks: true });
}

export function tellSignedOut(): void {
  send({ signedOut: true });
}

function send(message: Message): void {
  channel?.postMessage(message);
}
