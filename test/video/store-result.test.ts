import { describe, expect, test } from '@jest/globals';
import type { ObjectStore } from '../../shared/aws/s3.ts';
import { enqueueVideoTask } from '../../shared/video/enqueue.ts';
import { getResultFileName } from '../../shared/video/jobs/index.ts';
import { startJob } from '../../shared/video/propose-job.ts';
import { storeResult } from '../../shared/video/store-result.ts';
import { FileUnavailableError } from '../../shared/platforms/ports/index.ts';
import { createJobId } from '../../shared/storage/index.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { VIDEO_FILE } from './video-file.ts';
import { person, VideoHarness, videoRequest } from './video-harness.ts';

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

describe('a picture that is not kept has the right reason:', () => {
  const png = Buffer.from(PICTURES.png, 'base64');
  /** The picture with another width (pixels). */
  const wide = (width: number): Buffer => {
    const copy = Buffer.from(png);
    copy.writeUInt32BE(width, 16);
    return copy;
  };

  test.each([
    ['one of too many pixels', wide(8_193), 'The picture is larger than I can use'],
    ['one of too few pixels', wide(15), 'is damaged or too small'],
    ['a damaged one', png.subarray(0, 60), 'is damaged or too small'],
    ['a text', Buffer.from('no picture'), 'is not a picture'],
  ])('%s', async (_, picture, words) => {
    const w = new VideoHarness();
    w.models = [{ name: 'painter', operation: 'text-to-image', field: '', price: '0.04' }];
    w.film = picture;
    await w.process((context) =>
      startJob(videoRequest({ operation: 'text-to-image', picture: undefined }), context),
    );
    await w.pass(3);
    expect(await w.jobs()).toMatchObject([{ state: 'failed', reason: expect.stringContaining(words) }]);
  });
});

const start = (text: string): Buffer => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(80, 7)]);
const WEBM = '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82';

describe('a video is stored and posted as what it is, whatever the service calls it:', () => {
  test.each([
    ['MP4', start('\0\0\0\x18ftypisom'), 'video/mp4', 'video.mp4'],
    ['QuickTime', start('\0\0\0\x14ftypqt  '), 'video/quicktime', 'video.mov'],
    ['WebM', start(`${WEBM}\x84webm`), 'video/webm', 'video.webm'],
    ['Matroska', start(`${WEBM}\x88matroska`), 'video/x-matroska', 'video.mkv'],
  ])('%s', async (_, film, mimetype, name) => {
    const w = new VideoHarness();
    w.film = film;
    const types: string[] = [];
    const { videos } = w.context();
    const media: ObjectStore = {
      ...videos.media,
      put: (key, file) => {
        types.push(file.mimetype);
        return videos.media.put(key, file);
      },
    };
    const stored = await storeResult(JOB, 'https://files.example.com/v.mp4', { ...videos, media });
    expect(stored).toEqual({ bytes: film.length, mimetype });
    expect(types).toEqual([mimetype]);
    expect([...w.files.values()]).toEqual([film]);
    expect(getResultFileName({ mimetype })).toBe(name);
  });

  const deliver = async (w: VideoHarness): Promise<void> => {
    w.film = start(`${WEBM}\x84webm`);
    await w.process((context) => startJob(videoRequest(), context));
    await w.serve();
    for (const job of await w.context().videos.jobs.listByPerson(person, 9))
      await w.process(({ queue }) => enqueueVideoTask(job, 'hint-1', queue));
    await w.serve();
  };

  test('from the result to the link, if it is too large to be attached', async () => {
    const w = new VideoHarness();
    w.stage.refuse.upload = new FileUnavailableError(['files.upload.too-large', { mb: 10 }]);
    await deliver(w);
    expect(JSON.stringify([...w.stage.cards.values()])).toContain('&video.webm');
  });

  test('from the result to the message', async () => {
    const w = new VideoHarness();
    await deliver(w);
    expect(w.stage.uploads).toMatchObject([{ name: 'video.webm', mimetype: 'video/webm' }]);
    expect([...w.uploads.values()]).toEqual([w.film]);
  });
});
