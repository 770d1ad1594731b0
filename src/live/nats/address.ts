/** Where NATS is, and how to log in there. Nothing of it but `shown` may be logged. */
export interface NatsAddress {
  /** `host:port`, at least one; further servers of the same cluster are found by themselves. */
  readonly servers: readonly string[];
  /** The servers without the credentials. */
  readonly shown: string;
  readonly isTls: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** A token instead of a user: `nats://token@host`. */
  readonly token: string | undefined;
  /** With what all subjects begin: nodes over one NATS with different prefixes do not hear each other. */
  readonly prefix: string;
}

/** What the client of NATS is told of an address. */
export function connectionTo({ servers, isTls, user, password, token }: NatsAddress, node: string) {
  return {
    servers: [...servers],
    name: `pitwall ${node}`,
    ...(isTls ? { tls: {} } : {}),
    ...(user === undefined ? {} : { user, pass: password ?? '' }),
    ...(token === undefined ? {} : { token }),
  };
}

const form = 'must be like nats://user:password@host:4222, nats://token@host:4222 or tls://host:4222';

/**
 * Reads `nats://` or `tls://`, credentials, one `host:port` or several with commas, and a path for the prefix
 * (`pitwall` without one). Throws an Error that names the setting and what was expected, without what came: there may be a
 * password in it.
 */
export function natsAddress(text: string, setting: '--live' | '--replicas'): NatsAddress {
  try {
    return addressOf(text);
  } catch {
    throw new Error(`${setting} ${form}`);
  }
}

/** Throws where the text is of another form. */
function addressOf(text: string): NatsAddress {
  const match = /^(nats|tls):\/\/(?:([^@/]*)@)?([^@/]+)(?:\/([\w-]*))?$/.exec(
    // Each server may have the scheme before it.
    text.replace(/,(?:nats|tls):\/\//g, ','),
  );
  if (match === null) throw new Error(form);
  const [, scheme, login, hosts, path] = match;
  const servers = hosts!.split(',').map(serverOf);
  const [name, ...rest] = (login ?? '').split(':').map(decodeURIComponent);
  const password = rest.length === 0 ? undefined : rest.join(':');
  const isToken = login !== undefined && password === undefined;
  return {
    servers,
    shown: servers.join(','),
    isTls: scheme === 'tls',
    user: login === undefined || isToken ? undefined : name,
    password,
    token: isToken ? name : undefined,
    prefix: path || 'pitwall',
  };
}

function serverOf(text: string): string {
  const url = new URL(`tcp://${text}`);
  if (url.hostname === '' || /[?#]/.test(text)) throw new Error(form);
  return `${url.hostname}:${url.port || 4222}`;
}
