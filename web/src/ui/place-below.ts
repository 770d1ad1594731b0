/** Pixels between a menu and the edge of the window. */
const room = 8;

/** Puts a menu below its button, or above it where it does not fit into the window. */
export function placeBelow(button: HTMLElement, menu: HTMLElement): void {
  const { left, bottom, top } = button.getBoundingClientRect();
  requestAnimationFrame(() => {
    const { width, height } = menu.getBoundingClientRect();
    const y = bottom + height + room > innerHeight ? Math.max(room, top - height) : bottom;
    menu.style.left = `${Math.max(room, Math.min(left, innerWidth - width - room))}px`;
    menu.style.top = `${y}px`;
  });
}
