import { copiedKinds, type Document } from '../../domain/document.ts';
import { scopes, type TokenRecord } from '../../domain/principal.ts';
import { isoFromMillis } from '../../domain/timestamp.ts';
import { fault } from '../base/fault.ts';
import { maxNameBytes } from '../base/name.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, queryLimits } from '../json/json-memory.ts';
import { decodeBody } from '../json/value.ts';
import { readAge, writeAge } from './age.ts';
import { defined, listOf, nameWithin, oneOf, type Read, readFields, text } from './fields.ts';
import { isoTime } from './iso-time.ts';

/**
 * What a workspace keeps besides streams and rows, as another service takes it:
 *
 *   tokens     [{id, hash, scopes, name?, createdAt, expires?}]  times in ISO 8601, hash as it is stored
 *   topics     [{name, retention?}]
 *   documents  [{kind, topic?, id, body}]                        body is the JSON text that is stored
 *
 * Each may be left out.
 */
const names = propertyNames(['tokens', 'topics', 'documents']);
const tokenNames = propertyNames(['id', 'hash', 'scopes', 'name', 'createdAt', 'expires']);
const topicNames = propertyNames(['name', 'retention']);
const documentNames = propertyNames(['kind', 'topic', 'id', 'body']);

export type TokenContent = Omit<TokenRecord, 'workspace'>;

export interface TopicRetention {
  readonly name: string;
  /** Nanoseconds. */
  readonly retention: bigint | undefined;
}

export type DocumentContent = Pick<Document, 'topic' | 'id' | 'body'> & {
  readonly kind: (typeof copiedKinds)[number];
};

export interface WorkspaceContents {
  readonly tokens: readonly TokenContent[];
  readonly topics: readonly TopicRetention[];
  readonly documents: readonly DocumentContent[];
}

const name = nameWithin(maxNameBytes);

const hash: Read<string> = (value, path) => {
  const given = text(value, path);
  if (/^[0-9a-f]{64}$/.test(given)) return given;
  throw fault('invalid_value', path, 'must be a SHA-256 in lowercase hex');
};

const token: Read<TokenContent> = (value, path) => {
  const fields = readFields(value, tokenNames, path);
  return {
    id: fields.require('id', name),
    hash: fields.require('hash', hash),
    scopes: [...new Set(fields.require('scopes', listOf(oneOf(scopes))))],
    createdAt: fields.require('createdAt', isoTime),
    ...defined({ name: fields.get('name', name), expires: fields.get('expires', isoTime) }),
  };
};

const topic: Read<TopicRetention> = (value, path) => {
  const fields = readFields(value, topicNames, path);
  return { name: fields.require('name', name), retention: fields.get('retention', readAge) };
};

/** Ids of documents are made of several names. */
const document: Read<DocumentContent> = (value, path) => {
  const fields = readFields(value, documentNames, path);
  return {
    kind: fields.require('kind', oneOf(copiedKinds)),
    topic: fields.get('topic', name),
    id: fields.require('id', text),
    body: fields.require('body', text),
  };
};

export function decodeWorkspaceContents(body: Uint8Array, share?: MemoryShare): WorkspaceContents {
  const fields = readFields(decodeBody(body, queryLimits, undefined, share), names, '');
  return {
    tokens: fields.get('tokens', listOf(token)) ?? [],
    topics: fields.get('topics', listOf(topic)) ?? [],
    documents: fields.get('documents', listOf(document)) ?? [],
  };
}

/** Encodes what a workspace keeps as JSON, in pieces. */
export function* encodeWorkspaceContents({
  tokens,
  topics,
  documents,
}: WorkspaceContents): Generator<Uint8Array> {
  const head = JSON.stringify({
    tokens: tokens.map(({ id, hash, scopes, name, createdAt, expires }) => ({
      id,
      hash,
      scopes,
      name,
      createdAt: isoFromMillis(createdAt),
      expires: expires === undefined ? undefined : isoFromMillis(expires),
    })),
    topics: topics.map(({ name, retention }) => ({
      name,
      retention: retention === undefined ? undefined : writeAge(retention),
    })),
  });
  yield Buffer.from(`${head.slice(0, -1)},"documents":[`);
  for (const [i, { kind, topic, id, body }] of documents.entries()) {
    yield Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify({ kind, topic, id, body })}`);
  }
  yield Buffer.from(']}');
}
