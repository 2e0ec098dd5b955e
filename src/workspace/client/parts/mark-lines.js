// Vertical lines in a chart at the dates of notes.

/** @typedef {{ readonly at: number, readonly label: string }} Mark `at`: a value of the x axis */

/**
 * @param {readonly Mark[]} marks
 * @param {string} colour
 * @returns {import('chart.js').Plugin}
 */
export function markLines(marks, colour) {
  return {
    id: 'marks',
    afterDatasetsDraw({ ctx, chartArea, scales }) {
      const scale = scales['x'];
      if (scale === undefined || marks.length === 0) return;
      ctx.save();
      ctx.strokeStyle = colour;
      ctx.fillStyle = colour;
      ctx.font = '11px system-ui, sans-serif';
      ctx.setLineDash([3, 3]);
      for (const { at, label } of marks) {
        if (at < scale.min || at > scale.max) continue;
        const x = scale.getPixelForValue(at);
        ctx.beginPath();
        ctx.moveTo(x, chartArea.top);
        ctx.lineTo(x, chartArea.bottom);
        ctx.stroke();
        ctx.fillText(label, x + 3, chartArea.top + 10);
      }
      ctx.restore();
    },
  };
}
