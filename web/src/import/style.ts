import address from '../style/import.css?url';

/** Styles of the dialog, which come with it: few who open the page import something. */
export const styled = new Promise<void>((resolve) => {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = address;
  // Without them the dialog is plain, and does all the same.
  link.onload = link.onerror = () => resolve();
  document.head.append(link);
});
