/** Where a broker is, and how to log in there. Nothing of it but `shown` may be logged. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Without the credentials. */
  readonly shown: string;
}

/** Reads `mqtt://user:password@host:1883` or `mqtts://…:8883`, whose form was checked as a setting. */
export function brokerAddress(text: string): BrokerAddress {
  // Of schemes that it does not know URL leaves the host as it is.
  const url = new URL(text.replace(/^mqtts?:/, 'http:'));
  const isTls = text.startsWith('mqtts:');
  const port = Number(/:(\d+)\/?$/.exec(text)?.[1] ?? (isTls ? 8883 : 1883));
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    port,
    isTls,
    user: url.username === '' ? undefined : decodeURIComponent(url.username),
    password: url.password === '' ? undefined : decodeURIComponent(url.password),
    shown: `${isTls ? 'mqtts' : 'mqtt'}://${url.hostname}:${port}`,
  };
}
