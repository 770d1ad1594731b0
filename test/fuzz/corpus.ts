import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages, readPage } from '../docs/markdown.ts';
import { root } from '../root.ts';

/** Longer ones are left out: a mutation of a few bytes says more of a short document. */
const longest = 4096;

/** The bodies of the docs and of the rules of the contract, read once. */
export const jsonCorpus = once(() =>
  short([
    ...pages
      .flatMap((page) => readPage(page).blocks.filter(({ language }) => language === 'json'))
      .map(({ text }) => text),
    ...steps().flatMap(({ body }) =>
      body === undefined ? [] : [JSON.stringify(body), JSON.stringify(body, null, 2)],
    ),
  ]),
);

/** Lines of the line protocol, from its page and its rules. */
export const lineCorpus = once(() => {
  const blocks = readPage('docs/line-protocol.md').blocks.map(({ text }) => text);
  const quoted = blocks.flatMap((text) => [...text.matchAll(/'(\w+,[^']+)'/g)].map(([, line]) => line!));
  const bodies = steps().flatMap(({ bodyText }) => (bodyText === undefined ? [] : [bodyText]));
  return short([...quoted, ...bodies, ...someLines]);
});

/** Tables as `pitwall export` and others write them. */
export const csvCorpus = once(() => {
  const example = readFileSync(join(root, 'examples/logger.csv'), 'utf8').split('\n');
  return short([example.slice(0, 4).join('\n'), ...someTables]);
});

/** What has a meaning in JSON, and in the bodies of the contract. */
export const jsonWords = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u',
    '\\ud800',
    '\\udc00',
    'true',
    'null',
    '-',
    '.',
    'e',
    '0',
  ],
  ...[
    '""',
    '{}',
    '[]',
    '1e400',
    '-0',
    '9223372036854775808',
    '"__proto__"',
    '"timestamps"',
    '\ufeff',
    '\u0000',
  ],
].map((word) => Buffer.from(word));

interface Step {
  readonly body?: unknown;
  /** A body that is no JSON. */
  readonly bodyText?: string;
}

function steps(): Step[] {
  const folder = join(root, 'test/conformance');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { steps: Step[] }).steps);
}

const someLines = [
  'weather,location=us-midwest temperature=82 1465839830100400200',
  'cpu,host=a\\ b,cpu=0 usage_idle=99.5,usage_user=1i,on=true,name="x \\"y\\" \\\\" 1\n',
  '# a comment\n\nm a=1,b=2u,c=f\nm,t=v a="two\nlines" 2\r\n',
  'm\\,x,k\\=y=v\\,w f\\ 1=-1.5e-3,g="" -1',
];

const someTables = [
  'Timestamp,Speed,TAG__lap\n1,2.5,1\n2,,2\n',
  '"Timestamp","A ""quoted"" name"\r\n"1","text, with a comma"\r\n"2","two\nlines"\r\n',
  '\ufeffTimestamp,TAG__topic,TAG__streamId,x\n1591733989000000001,cars,a,-0\n-5,cars,b,1e400\n',
];

function short(texts: readonly string[]): Buffer[] {
  return texts.map((text) => Buffer.from(text)).filter(({ length }) => length <= longest);
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
