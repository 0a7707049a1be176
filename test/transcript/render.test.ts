import { expect, test } from '@jest/globals';
import { formatPosition, renderSrt, renderText, renderVtt } from '../../shared/transcript/index.ts';

const SENTENCES = [
  { fromMs: 0, toMs: 1_250, text: 'Is 1 < 2?' },
  { fromMs: 3_661_007, toMs: 3_661_009, text: 'Yes -->\n\nit is.' },
];

test('WebVTT', () => {
  expect(renderVtt(SENTENCES)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nIs 1 &lt; 2?\n\n01:01:01.007 --> 01:01:01.507\nYes --&gt; it is.\n',
  );
});

test('SubRip', () => {
  expect(renderSrt(SENTENCES)).toBe(
    '1\n00:00:00,000 --> 00:00:01,250\nIs 1 < 2?\n\n2\n01:01:01,007 --> 01:01:01,507\nYes --> it is.\n',
  );
});

test('text', () => {
  expect(renderText(SENTENCES)).toBe('[0:00] Is 1 < 2?\n[1:01:01] Yes --> it is.\n');
  expect(formatPosition(67_000)).toBe('1:07');
});
