import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { buildTemplate } from '../../infra/local/template/build.ts';
import { createPdfReader } from '../../shared/documents/index.ts';
import { pdf } from '../documents/pdf.ts';
import { plain, TemplateView } from '../infra/template.ts';

test('the bundle of the PDF thread is next to the large worker, and is self-contained', async () => {
  const built = await buildTemplate();
  const functions = new TemplateView(built.template).all('AWS::Lambda::Function');
  const worker = functions.find(({ id }) => plain(id).startsWith('LargeWorker'));
  const thread = join(built.assetDir(worker?.id ?? ''), 'pdf-thread.js');
  const read = createPdfReader({
    entryFile: thread,
    now: () => 0,
    sleep: () => new Promise(() => undefined),
  });
  expect(await read(pdf({ pages: ['Grown', 'up'] }), { remainingMs: 15_000 })).toEqual({
    kind: 'text',
    text: 'Grown\fup',
    pages: 2,
    of: 2,
  });
  const japanese = pdf({ cMap: { name: '90ms-RKSJ-H', ordering: 'Japan1' }, pages: ['8b7889c9'] });
  expect(await read(japanese, { remainingMs: 15_000 })).toMatchObject({ text: '休暇' });
});
