/**
 * A process that answers a question with files, as the large worker does, and prints its peak memory: `node
 * memory-run.js pictures|texts UPSTREAM`. Bundled, as the worker is.
 */
import { DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { BARE } from '../fakes/bare-context.ts';
import { readFileSync } from 'node:fs';
import { messageId, userId, workspaceId, channelId } from '../../shared/domain/index.ts';
import { readAttachments } from '../../shared/chat/prompt/read-attachments.ts';
import { MemoryPermit, ByteBudget } from '../../shared/runtime/byte-budget.ts';
import { readBoundedBody } from '../../shared/platforms/read-bounded-body.ts';
import { TASKS } from '../../shared/runtime/shared-names.ts';
import { systemTime } from '../../shared/runtime/time.ts';
import { fakePlatform } from '../chat/completion-harness.ts';
import { createUpstream } from '../../shared/upstream/index.ts';

const [, , what, baseUrl = ''] = process.argv;
const MB = 1024 * 1024;
const FILES = what === 'pictures' ? { count: 3, bytes: 5 * MB } : { count: 5, bytes: 10 * MB };

/** As a download arrives: chunk by chunk. */
async function content(): Promise<Uint8Array> {
  let left = FILES.bytes;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = Math.min(left, 64 * 1024);
      if (size === 0) return controller.close();
      const chunk = Buffer.alloc(size, 'All work and no play. ');
      if (what === 'pictures' && left === FILES.bytes) chunk.write('\x89PNG\r\n\x1a\n', 'latin1');
      left -= size;
      return controller.enqueue(chunk);
    },
  });
  return (await readBoundedBody(new Response(stream), FILES.bytes)) ?? new Uint8Array();
}

const memory = new ByteBudget(TASKS.largeWorkerFilesMb * MB);
const upstream = createUpstream({
  baseUrl,
  apiKey: async () => 'key',
  time: systemTime,
  random: Math.random,
});

async function question(): Promise<void> {
  const id = messageId('1.1');
  const thread = {
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: id,
  } as const;
  const turn = { thread, message: id, asker: userId('U1'), askerWorkspace: workspaceId('T1') };
  const files = Array.from({ length: FILES.count }, (_, i) => ({
    id: `F${i}`,
    name: what === 'pictures' ? `${i}.png` : `${i}.txt`,
    mimetype: what === 'pictures' ? 'image/png' : 'text/plain',
    bytes: FILES.bytes,
  }));
  const context = {
    ...BARE,
    settings: DEFAULTS,
    platform: { ...fakePlatform(), downloadFile: content },
    chat: {
      ...streamsOnly,
      modelFacts: async () => ({ images: true, modelsWithImages: [] }),
      model: 'model',
      stream: nothing,
    },
    log: () => undefined,
  };
  const deadlineMs = Date.now() + 600_000;
  const memoryPermit = new MemoryPermit({
    budget: memory,
    movesLarge: false,
    time: systemTime,
    signal: new AbortController().signal,
    deadlineMs,
  });
  const { question: text, images } = await readAttachments(turn, 'What is this?', files, context, {
    locale: Promise.resolve('en'),
    memoryPermit,
  });
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }, ...images] }];
  const stream = upstream.chat.stream({ model: 'model', messages, maxTokens: 100 }, {});
  for await (const _ of stream);
  memoryPermit.end();
}

async function run(): Promise<void> {
  const idle = peakMb();
  const begin = performance.now();
  await question();
  const seconds = (performance.now() - begin) / 1_000;
  process.stdout.write(JSON.stringify({ idle, mb: peakMb(), seconds }));
}

async function* nothing() {}

/** Not `resourceUsage`, whose maximum includes the process that started this one. */
const peakMb = (): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

void run();
