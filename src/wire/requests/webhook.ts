import type { Webhook } from '../../domain/alert.ts';
import { withoutLogin } from '../../domain/login.ts';
import { fault } from '../base/fault.ts';
import { excerpt } from '../base/name.ts';
import { propertyNames } from '../base/property-names.ts';
import { memberPath } from '../json/json-value.ts';
import { defined, object, type Read, readFields, text, textWithin } from './fields.ts';

/**
 * The webhook of an alert rule (contract, section 10):
 *
 *   url      string  http or https, 2 KiB at most, without user, password or fragment
 *   headers  object  name to value, 20 at most, sent with each message
 */
const webhookFields = propertyNames(['url', 'headers']);

const maxUrlBytes = 2048;
const maxHeaders = 20;
const maxHeaderBytes = 4096;

/** Whether the host may be called is for others to say. */
export const webhook: Read<Webhook> = (value, path) => {
  const fields = readFields(value, webhookFields, path);
  return { url: fields.require('url', address), ...defined({ headers: fields.get('headers', headers) }) };
};

const address: Read<string> = (value, path) => {
  const given = textWithin(maxUrlBytes)(value, path);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw fault(
      'invalid_value',
      path,
      `must be an address like https://host/path, not ${excerpt(withoutLogin(given))}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw fault('invalid_value', path, "has a user or a password: give them in 'headers', as Authorization");
  }
  if (url.hash !== '')
    throw fault('invalid_value', path, `has a fragment (${excerpt(url.hash)}), which is never sent`);
  return url.href;
};

/** What the sender says itself, and what belongs to the connection. */
const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headers: Read<Readonly<Record<string, string>>> = (value, path) => {
  const given = object(value, path);
  const seen = new Set<string>();
  const found: [string, string][] = [];
  for (const [name, member] of given) {
    const at = memberPath(path, name);
    const folded = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(name)) {
      throw fault('invalid_value', path, `${excerpt(name)} cannot be the name of a header`);
    }
    if (ownHeaders.has(folded)) throw fault('invalid_value', at, 'is said by the service itself');
    if (seen.has(folded)) throw fault('duplicate_property', at, 'stands twice');
    seen.add(folded);
    found.push([name, headerValue(member, at)]);
  }
  if (found.length > maxHeaders) {
    throw fault('invalid_value', path, `has ${found.length} headers; ${maxHeaders} are allowed`);
  }
  // A name may be `__proto__`.
  return Object.fromEntries(found);
};

/** The message never repeats the value, which may be a secret. */
const headerValue: Read<string> = (value, path) => {
  const given = text(value, path);
  if (given.length > maxHeaderBytes) {
    throw fault('string_too_long', path, `has ${given.length} characters; ${maxHeaderBytes} are allowed`);
  }
  if (/^[\t\x20-\x7e]*$/.test(given)) return given;
  throw fault('invalid_value', path, 'may hold only printable ASCII, without line breaks');
};
