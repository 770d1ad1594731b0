import { togglePanel } from './beside/toggle-panel.ts';
import { showComparison } from './parts.tsx';
import { beside, show, mode as shownMode } from './state/view.ts';
import type { Beside, Mode } from './state/view-text.ts';

const modes: readonly (readonly [Mode, string])[] = [
  ['time', 'Time'],
  ['overlay', 'Distance'],
  ['table', 'Rows'],
];

const panels: readonly (readonly [Beside, string])[] = [
  ['xy', 'XY'],
  ['histogram', 'Histogram'],
  ['spectrum', 'Spectrum'],
  ['sectors', 'Sectors'],
  ['report', 'Report'],
  ['video', 'Video'],
];

/** What the axis is, and other ways to look. */
export function Modes() {
  return (
    <nav class="modes" aria-label="Ways to look">
      {modes.map(([mode, text]) => (
        <button
          key={mode}
          type="button"
          aria-pressed={shownMode.value === mode}
          onClick={() => (mode === 'overlay' ? showComparison() : show({ mode }))}
        >
          {text}
        </button>
      ))}
    </nav>
  );
}

/** Which panels stand beside the plots. */
export function Panels() {
  if (shownMode.value === 'table') return null;
  return (
    <fieldset class="modes" aria-label="Panels beside the plots">
      {panels.map(([panel, text]) => (
        <button
          key={panel}
          type="button"
          aria-pressed={beside.value.includes(panel)}
          onClick={() => togglePanel(panel)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
