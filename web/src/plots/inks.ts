import { computed } from '@preact/signals';
import { isDark } from '../lines/scheme.ts';

/** Colours of the page that canvases are drawn in. To read them is dear while the page changes: they are read once. */
export const inks = computed(() => {
  isDark.value;
  const style = getComputedStyle(document.documentElement);
  return {
    text: style.getPropertyValue('--ink'),
    soft: style.getPropertyValue('--ink-soft'),
    grid: style.getPropertyValue('--grid'),
    bad: style.getPropertyValue('--bad'),
    track: style.getPropertyValue('--track'),
  };
});
