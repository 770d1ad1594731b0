import type { Page } from 'playwright-core';

/** How far a colour may be off, of 255: text is drawn a little differently where it begins between two pixels. */
const tolerance = 24;

/**
 * Compares two pictures (PNG) pixel by pixel, in a page. Resolves with the share of pixels that differ: 1 where their
 * sizes do. Of the second one, a part may be meant that is as large as the first: from how many pixels across and down.
 */
export function differingShare(
  page: Page,
  first: Buffer,
  second: Buffer,
  part?: { readonly left: number; readonly top: number },
): Promise<number> {
  return page.evaluate(`(async () => {
    const pixelsOf = async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return { width: image.width, height: image.height, data: context.getImageData(0, 0, image.width, image.height).data };
    };
    const a = await pixelsOf('${first.toString('base64')}');
    let b = await pixelsOf('${second.toString('base64')}');
    const part = ${JSON.stringify(part ?? null)};
    if (part !== null) {
      const { width, height } = a;
      const data = new Uint8ClampedArray(width * height * 4);
      for (let y = 0; y < height; y++) {
        const from = ((y + part.top) * b.width + part.left) * 4;
        data.set(b.data.subarray(from, from + width * 4), y * width * 4);
      }
      b = { width, height, data };
    }
    if (a.width !== b.width || a.height !== b.height) return 1;
    let differing = 0;
    for (let i = 0; i < a.data.length; i += 4) {
      const isOff = [0, 1, 2].some((at) => Math.abs(a.data[i + at] - b.data[i + at]) > ${tolerance});
      if (isOff) differing++;
    }
    return differing / (a.data.length / 4);
  })()`);
}
