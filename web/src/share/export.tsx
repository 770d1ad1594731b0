import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { openParameters } from '../channels/parameters.ts';
import { plotted } from '../channels/plotted.ts';
import { seenRange } from '../plots/range.ts';
import { mode, plots, streams } from '../state/view.ts';
import { PopupMenu } from '../ui/popup-menu.tsx';
import { hasShownRows, isExporting } from './opened.ts';

/** Whether what is plotted over time, or all of the run where nothing is, has a name. */
const hasNames = computed(() => {
  const { numbers = [], texts = [] } = plotted.value ?? {};
  return (
    (plots.value.length > 0 ? numbers.length + texts.length : (openParameters.value.value?.length ?? 0)) > 0
  );
});
const hasRows = computed(
  () =>
    hasShownRows.value ??
    (mode.value !== 'overlay' && streams.value.length > 0 && seenRange.value !== undefined && hasNames.value),
);

/** A menu with what the rows that are seen can be taken away as; until there are any, its button has the place. */
export function Export({ children }: { children: ComponentChildren }) {
  return (
    <PopupMenu
      title="Export"
      sign="Export"
      kind="export"
      disabled={!hasRows.value}
      isKept={hasRows.value}
      onToggle={(isOpen) => {
        isExporting.value = isOpen;
      }}
    >
      {() => children}
    </PopupMenu>
  );
}
