/** The plots as a picture: their canvases, and the text and the lines of the page around them, as they are seen. */

const margin = 14;
const titleHeight = 44;
const parts = 'canvas, .swatch line, .dot, .flag, .note-flag, .splitter';

/**
 * Draws elements of the page that stand one below the other, below a title and a line of small text. PNG. Controls are
 * left out.
 *
 * Browsers draw no part of a page to a picture, so each kind of part that plots are made of is drawn here.
 */
export async function pictureOf(elements: readonly Element[], title: string, detail: string): Promise<Blob> {
  const boxes = elements.map((element) => element.getBoundingClientRect());
  const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
  const [right, bottom] = [
    Math.max(...boxes.map((box) => box.right)),
    Math.max(...boxes.map((box) => box.bottom)),
  ];
  const box = new DOMRect(left, top, right - left, bottom - top);
  const ratio = Math.max(2, devicePixelRatio);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round((box.width + 2 * margin) * ratio);
  canvas.height = Math.round((box.height + titleHeight + margin) * ratio);
  const context = canvas.getContext('2d')!;
  const page = getComputedStyle(document.documentElement);
  context.scale(ratio, ratio);
  context.fillStyle = page.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textBaseline = 'alphabetic';
  context.fillStyle = page.color;
  context.font = '600 14px system-ui, sans-serif';
  context.fillText(title, margin, 18, box.width);
  context.font = '12px system-ui, sans-serif';
  context.fillText(detail, margin, 35, box.width);
  context.translate(margin - box.left, titleHeight - box.top);
  context.beginPath();
  context.rect(box.left, box.top, box.width, box.height);
  context.clip();
  for (const element of elements) {
    for (const part of element.querySelectorAll(parts)) drawPart(context, part);
    drawTexts(context, element);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('There is no picture.')) : resolve(blob)));
  });
}

function drawPart(context: CanvasRenderingContext2D, part: Element): void {
  const { left, top, width, height } = part.getBoundingClientRect();
  const style = getComputedStyle(part);
  if (part instanceof HTMLCanvasElement) {
    if (width > 0 && height > 0) context.drawImage(part, left, top, width, height);
  } else if (part instanceof SVGLineElement) {
    context.strokeStyle = style.stroke;
    context.lineWidth = Number.parseFloat(style.strokeWidth);
    const dash = style.strokeDasharray;
    context.setLineDash(dash === 'none' ? [] : dash.split(',').map(Number.parseFloat));
    context.beginPath();
    context.moveTo(left, top + height / 2);
    context.lineTo(left + width, top + height / 2);
    context.stroke();
  } else if (part.classList.contains('dot')) {
    context.fillStyle = style.backgroundColor;
    context.beginPath();
    context.arc(left + width / 2, top + height / 2, width / 2, 0, 2 * Math.PI);
    context.fill();
  } else if (part.classList.contains('splitter')) {
    context.fillStyle = style.backgroundColor;
    context.fillRect(left, top + height / 2, width, 1);
  } else {
    context.fillStyle = style.borderLeftColor;
    context.fillRect(left, top, 1.5, height);
  }
}

/** Text that is seen, with what lies behind it where that has a colour of its own. */
function drawTexts(context: CanvasRenderingContext2D, element: Element): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const ground = getComputedStyle(document.documentElement).backgroundColor;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement!;
    const text = node.nodeValue!.trim();
    if (text === '' || parent.closest('button, select, .unseen, [popover]') !== null) continue;
    range.selectNodeContents(node);
    const style = getComputedStyle(parent);
    const behind = style.backgroundColor;
    const own = parent.getBoundingClientRect();
    if (!isClear(behind)) {
      context.fillStyle = behind;
      context.fillRect(own.left, own.top, own.width, own.height);
    }
    context.font = style.font;
    const lines = text.split('\n');
    // A break between lines may have a box of its own.
    const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
    for (const [i, { left, top, height }] of boxes.entries()) {
      const line = lines[i];
      if (line === undefined || height === 0) continue;
      const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = context.measureText(line);
      const base = top + (height + up - down) / 2;
      if (isClear(behind)) {
        context.strokeStyle = ground;
        context.lineWidth = 4;
        context.lineJoin = 'round';
        context.setLineDash([]);
        context.strokeText(line, left, base);
      }
      context.fillStyle = style.color;
      context.fillText(line, left, base);
    }
  }
}

function isClear(colour: string): boolean {
  return colour === 'transparent' || colour === 'rgba(0, 0, 0, 0)';
}
