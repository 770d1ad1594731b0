import { isFaint, type Look } from './colours.ts';

const shownWidths = { thin: 1.25, wide: 4, widest: 6 } as const;

/** A piece of a line as plots draw it. */
export function Swatch({ look: { colour, dash, isBold, width } }: { look: Look }) {
  const line = { x1: 0, x2: 22, y1: 3, y2: 3 };
  return (
    <svg
      class="swatch"
      width={22}
      height={6}
      viewBox="0 0 22 6"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {isFaint(colour) && <line {...line} class="edge" stroke-width={4.5} />}
      <line
        {...line}
        stroke={colour}
        stroke-width={isBold ? 4 : ((width && shownWidths[width]) ?? 2.5)}
        stroke-dasharray={dash.join(' ')}
      />
    </svg>
  );
}
