import { joined, split } from './text-parts.ts';

export const widths = ['thin', 'wide', 'widest'] as const;
export const drawings = ['line', 'steps'] as const;

/** What somebody chose of how a channel looks; what is not there goes by itself. */
export interface ChannelLook {
  /** Which colour of the palette. */
  readonly colour?: number;
  readonly width?: (typeof widths)[number];
  readonly drawn?: (typeof drawings)[number];
  /** What it is shown in. */
  readonly unit?: string;
}

/** `Speed,2 wide steps mph,Gear,line`. A unit stands last, as it may have spaces. */
export function looksText(looks: Readonly<Record<string, ChannelLook>>): string {
  return joined(
    Object.entries(looks).flatMap(([name, { colour, width, drawn, unit }]) => [
      name,
      [colour, width, drawn, unit && `in ${unit}`].filter((part) => part !== undefined).join(' '),
    ]),
    ',',
  );
}

const parts =
  /^(?:(?<colour>[0-7])(?: |$))?(?:(?<width>thin|wide|widest)(?: |$))?(?:(?<drawn>line|steps)(?: |$))?(?:in (?<unit>.+))?$/s;

export function looksOf(text: string): Record<string, ChannelLook> {
  const texts = split(text, ',');
  return Object.fromEntries(
    texts.flatMap((name, i) => {
      const chosen = texts[i + 1] ?? '';
      const found = i % 2 === 0 && chosen !== '' && parts.exec(chosen)?.groups;
      if (!found) return [];
      const { colour, width, drawn, unit } = found;
      const look: ChannelLook = {
        ...(colour !== undefined && { colour: Number(colour) }),
        ...(width !== undefined && { width: width as (typeof widths)[number] }),
        ...(drawn !== undefined && { drawn: drawn as (typeof drawings)[number] }),
        ...(unit !== undefined && { unit }),
      };
      return [[name, look] as const];
    }),
  );
}
