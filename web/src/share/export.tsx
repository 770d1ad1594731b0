import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { PopupMenu } from '../ui/popup-menu.tsx';
import { isExporting } from './opened.ts';
import { shownQueries } from './shown-query.ts';

const hasRows = computed(() => shownQueries.value.length > 0);

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
