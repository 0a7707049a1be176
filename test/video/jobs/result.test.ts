import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { jobId, readMediaModels, findVideo } from '../../../shared/video/jobs/index.ts';

const URL = 'https://example.com/v.mp4?s=1';

test('a video is found in all known result formats', () => {
  const forms = [
    { output: { video: { url: URL } } },
    { payload: { video: { url: URL } } },
    { output: { video_url: URL } },
    { data: { videos: [{ url: URL }] } },
    { result: { url: URL } },
    { video: URL },
    { output: [URL] },
    { output: URL },
    { url: URL },
  ];
  for (const form of forms) expect(findVideo(form)).toMatchObject({ kind: 'url', url: URL });
  expect(findVideo({ output: { video_id: 'v-1', video: { url: URL } } })).toEqual({
    kind: 'url',
    url: URL,
    videoId: 'v-1',
  });
  expect(findVideo({ output: { video_id: 'v-1' } })).toEqual({ kind: 'id', videoId: 'v-1' });
});

test('a result without a video gives undefined', () => {
  for (const form of [
    undefined,
    null,
    '',
    URL,
    7,
    [],
    {},
    { output: null },
    { status_url: URL },
    { output: { thumbnail: URL } },
  ])
    expect(findVideo(form)).toBeUndefined();
  fc.assert(fc.property(fc.anything(), (value) => void findVideo(value)));
});

test('models are parsed with operation, name, picture field and price', () => {
  const text =
    'model-a-video:image_url:0.35, other-1:start_image,models=/v2/models, edit=third::2 text-to-image=plain';
  expect(readMediaModels(text)).toEqual([
    { name: 'model-a-video', operation: 'image-to-video', field: 'image_url', price: '0.35' },
    { name: 'other-1', operation: 'image-to-video', field: 'start_image', price: undefined },
    { name: 'third', operation: 'edit', field: 'image_url', price: '2' },
    { name: 'plain', operation: 'text-to-image', field: 'image_url', price: undefined },
  ]);
  expect(readMediaModels(' ')).toEqual([]);
  for (const wrong of ['=a', 'a:b:c', 'a:1', 'a:b:-1', 'a:b:1:2'])
    expect([wrong, readMediaModels(wrong)]).toEqual([wrong, undefined]);
});

test('only a generated job id is valid', () => {
  const id = `${'0a'.repeat(8)}-${'1b'.repeat(10)}`;
  expect(jobId(id)).toBe(id);
  for (const text of ['', 'x', `${id}0`, id.toUpperCase(), `${id}\n`, id.replace('-', '#')])
    expect(jobId(text)).toBeUndefined();
});
