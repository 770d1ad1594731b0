import type { ParameterDataQuery } from '../../../src/client/client.ts';

/** The query of the view, as programs write it. */
export interface QueryTexts {
  readonly curl: string;
  readonly javascript: string;
  readonly typescript: string;
  readonly python: string;
}

/** The token never stands in what is copied: programs take it from the environment. */
export function queryTexts(url: string, query: ParameterDataQuery): QueryTexts {
  const body = JSON.stringify(query, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  const pretty = JSON.stringify(JSON.parse(body), undefined, 2);
  return {
    curl: `curl ${url}/parameters/data \\
  -H "Authorization: Bearer $PITWALL_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '${body.replaceAll("'", "'\\''")}'`,
    javascript: `const response = await fetch('${url}/parameters/data?int64=string', {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.PITWALL_TOKEN}\`, 'content-type': 'application/json' },
  body: JSON.stringify(${pretty}),
});
const { timestamps, numericValues } = await response.json();`,
    typescript: `import { createClient } from 'pitwall/client';

const client = createClient({ url: '${url}', token: process.env.PITWALL_TOKEN! });
const { timestamps, numericValues } = await client.query(${literal(query, '')});`,
    python: `import io, os, requests, pandas

response = requests.post(
    "${url}/parameters/data",
    headers={"Authorization": f"Bearer {os.environ['PITWALL_TOKEN']}", "Accept": "application/vnd.apache.parquet"},
    json=${pythonLiteral(JSON.parse(body), '    ')},
)
response.raise_for_status()
rows = pandas.read_parquet(io.BytesIO(response.content))`,
  };
}

/** A value as TypeScript, bigints with their n. */
function literal(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${inner}${name}: ${literal(member, inner)},\n`,
    );
    return `{\n${members.join('')}${indent}}`;
  }
  // What JSON escapes, breaks of lines among it, TypeScript does too.
  return typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : String(value);
}

/** JSON is Python but for its three words. */
function pythonLiteral(value: unknown, indent: string): string {
  const inner = `${indent}    `;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map((item) => pythonLiteral(item, indent)).join(', ')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value).map(
      ([name, member]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(member, inner)},\n`,
    );
    return `{\n${members.join('')}${indent}}`;
  }
  return JSON.stringify(value);
}
