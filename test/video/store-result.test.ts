import { describe, expect, test } from '@jest/globals';
import type { ObjectStore } from '../../shared/aws/s3.ts';
import { storeResult } from '../../shared/video/store-result.ts';
import { createJobId } from '../../shared/storage/index.ts';
import { VIDEO_FILE } from './video-file.ts';
import { person, VideoHarness } from './video-harness.ts';

const put: ObjectStore['put'] = async (_, file) => {
  try {
    for await (const one of file.content) if (one.length === 0) break;
  } catch (cause) {
    // As the real one, whose request fails.
    throw new Error('the file was not stored', { cause });
  }
};

const JOB = { id: createJobId(person, 'press-1') };

describe('a video that is larger than may be kept', () => {
  const MB = 1024 * 1024;
  const keeping = async (bytes: number | undefined, megabytes: number) => {
    const part = Buffer.alloc(MB);
    VIDEO_FILE.copy(part);
    async function* content() {
      for (let n = 0; n < megabytes; n += 1) yield part;
    }
    const { videos } = new VideoHarness().context();
    const fetch = () => Promise.resolve({ bytes, mimetype: 'video/mp4', content: content() });
    const stored = await storeResult(JOB, 'https://files.example.com/v.mp4', {
      ...videos,
      fetch,
      media: { ...videos.media, put },
    });
    return typeof stored === 'string' ? stored : stored.bytes;
  };

  test.each([
    ['says that it is small', 10, 201],
    ['does not say how large it is', undefined, 33],
    ['says that it is too large', 201 * MB, 1],
  ])('is not kept, though it %s', async (_, bytes, megabytes) => {
    expect(await keeping(bytes, megabytes)).toBe('video-too-large');
  });

  test('is kept up to that size', async () => {
    expect([await keeping(10, 200), await keeping(undefined, 32)]).toEqual([10, 32 * MB]);
  });
});
