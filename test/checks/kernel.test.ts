import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { assembleKernel, KERNEL_FILE } from '../../infra/checks/kernel.ts';

test('the WebAssembly of the resampler is what its source assembles to; npm run build:kernel writes it', async () => {
  expect(await readFile(KERNEL_FILE, 'utf8')).toBe(await assembleKernel());
});
