import type { LapSource } from './refs.ts';

/** Nothing counts laps. */
export const noSource: LapSource = { kind: 'none', name: '' };

/** `channel:Lap`, `tag:LapNumber`, `none`. */
export function sourceText({ kind, name }: LapSource): string {
  return kind === 'none' ? kind : `${kind}:${name}`;
}

/** Undefined where the text is none. */
export function sourceOf(text: string): LapSource | undefined {
  if (text === 'none') return noSource;
  const [, kind, name] = /^(tag|channel):(.+)$/su.exec(text) ?? [];
  return name === undefined ? undefined : { kind: kind as LapSource['kind'], name };
}

/** Of an address: `tag=LapNumber`, `laps=channel:Lap`, `laps=none`. */
export function sourceIn(fields: URLSearchParams): LapSource | undefined {
  const tag = fields.get('tag') ?? '';
  return tag === '' ? sourceOf(fields.get('laps') ?? '') : { kind: 'tag', name: tag };
}
