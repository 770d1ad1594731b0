import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ofBrowser } from '../state/stored.ts';

/** The width of the left side, in this browser, pixels. */
const storedAs = 'pitwall.left-width';
const usual = 280;
const least = 200;
const most = 720;
const keyPixels = 16;

const kept = Number(ofBrowser.get(storedAs) ?? usual);
export const leftWidth = signal(Number.isFinite(kept) ? within(kept) : usual);

function within(pixels: number): number {
  return Math.round(Math.min(most, Math.max(least, pixels)));
}

function keep(pixels: number): void {
  leftWidth.value = within(pixels);
  ofBrowser.put(storedAs, String(leftWidth.value));
}

/** The edge of the left side: a hand or arrows move it, a double click puts it back. */
export function SideEdge() {
  const from = useRef<{ readonly x: number; readonly width: number } | undefined>(undefined);
  const end = () => {
    from.current = undefined;
    keep(leftWidth.peek());
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      class="side-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of runs and channels"
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={leftWidth.value}
      tabIndex={0}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, width: leftWidth.peek() };
      }}
      onPointerMove={({ clientX, buttons }) => {
        const begun = from.current;
        if (begun === undefined) return;
        if (buttons === 0) end();
        else leftWidth.value = within(begun.width + clientX - begun.x);
      }}
      onPointerUp={end}
      onPointerCancel={() => {
        from.current = undefined;
      }}
      onDblClick={() => keep(usual)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -keyPixels, ArrowRight: keyPixels }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        keep(leftWidth.peek() + by);
      }}
    />
  );
}
