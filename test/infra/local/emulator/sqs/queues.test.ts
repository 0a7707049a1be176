import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as fc from 'fast-check';
import type { QueueRules } from '../../../../../infra/local/template/resource-types.ts';
import { openJournal, type Journal } from '../../../../../infra/local/emulator/sqs/journal.ts';
import { NO_JOURNAL } from './no-journal.ts';
import { Queues } from '../../../../../infra/local/emulator/sqs/queues.ts';
import { scratch } from '../../sample-template.ts';

const RULES: QueueRules[] = [
  { name: 'dead.fifo', visibilityMs: 1000, retentionMs: 1e9, contentDedup: false, dedupScope: 'queue' },
  {
    name: 'q.fifo',
    visibilityMs: 1000,
    retentionMs: 1e9,
    contentDedup: false,
    dedupScope: 'queue',
    deadLetters: { queue: 'dead.fifo', maxReceives: 2 },
  },
];

let folder: ReturnType<typeof scratch>;
beforeEach(() => {
  folder = scratch();
});
afterEach(() => folder.remove());

function tokens(): () => string {
  let count = 0;
  return () => `t${(count += 1)}`;
}

/** Queues on a journal in memory, which can be read again as after a crash. */
function onMemory(records: unknown[], now: () => number): { queues: Queues; lines: unknown[] } {
  const lines: unknown[] = [];
  const journal: Journal = {
    ...NO_JOURNAL,
    append: (record) => void lines.push(structuredClone(record)),
    rewrite: (all) => void lines.splice(0, lines.length, ...structuredClone(all)),
    lines: () => lines.length,
  };
  return { queues: new Queues(RULES, journal, records, now, tokens()), lines };
}

const bodies = (queues: Queues, name: string) => queues.receive(name, 100).map(({ message }) => message.body);

const everything = (from: Queues) =>
  RULES.map(({ name }) =>
    from.receive(name, 100).map(({ message }) => [message.body, message.group, message.receives]),
  );

/** The open files of this process, where the system lists them. */
const openFiles = (): string[] =>
  existsSync('/proc/self/fd')
    ? readdirSync('/proc/self/fd').flatMap((descriptor) => {
        try {
          return readlinkSync(`/proc/self/fd/${descriptor}`);
        } catch {
          // That of the listing itself.
          return [];
        }
      })
    : [];

describe('a full disk', () => {
  test('leaves the journal as it is, and nothing of its replacement', () => {
    const file = join(folder.directory, 'queues.jsonl');
    writeFileSync(`${file}.next`, 'of a process that was killed');
    const { journal } = openJournal(file);
    expect(readdirSync(folder.directory)).toEqual(['queues.jsonl']);
    journal.append({ n: 1 });
    // Each write to this device fails as on a full disk.
    symlinkSync('/dev/full', `${file}.next`);
    expect(() => journal.rewrite([{ n: 2 }])).toThrow('ENOSPC');
    expect(readdirSync(folder.directory)).toEqual(['queues.jsonl']);
    expect(openFiles()).not.toContain('/dev/full');
    journal.append({ n: 3 });
    journal.close();
    expect(openJournal(file).records).toEqual([{ n: 1 }, { n: 3 }]);
  });

  test('does not stop a receive that would compact the journal, and is not tried again at once', () => {
    let rewrites = 0;
    const rewrite = () => {
      rewrites += 1;
      if (rewrites > 1) throw Object.assign(new Error('write'), { code: 'ENOSPC' });
    };
    const journal = { ...NO_JOURNAL, rewrite, lines: () => 30_000 };
    const queues = new Queues(RULES, journal, [], () => 0, tokens());
    for (const dedup of ['a', 'b']) queues.send('q.fifo', { body: dedup, group: dedup, dedup });
    expect([1, 1].map((max) => queues.receive('q.fifo', max).length)).toEqual([1, 1]);
    expect(rewrites).toBe(2);
  });
});

describe('queues after a restart', () => {
  test('keep messages, order, receive counts and deduplication; messages in flight are visible at once', () => {
    const file = join(folder.directory, 'queues.jsonl');
    const open = () => {
      const { journal, records } = openJournal(file);
      return new Queues(RULES, journal, records, () => 1000, tokens());
    };
    const first = open();
    for (const dedup of ['1', '2', '3']) first.send('q.fifo', { body: `body ${dedup}`, group: 'g', dedup });
    const [one] = first.receive('q.fifo', 2);
    first.delete('q.fifo', one?.receipt ?? '');
    first.close();
    const second = open();
    second.send('q.fifo', { body: 'again', group: 'g', dedup: '1' });
    const received = second.receive('q.fifo', 10);
    expect(received.map(({ message }) => [message.body, message.receives])).toEqual([
      ['body 2', 2],
      ['body 3', 1],
    ]);
    second.close();
  });

  test('move exhausted messages to the dead letters in one step, with order and group', () => {
    let now = 0;
    const { queues, lines } = onMemory([], () => now);
    queues.send('q.fifo', { body: 'poison', group: 'g', dedup: '1' });
    queues.send('q.fifo', { body: 'next', group: 'g', dedup: '2' });
    const records: string[] = [];
    queues.onChange('dead.fifo', () => records.push('dead.fifo'));
    for (now = 0; now < 2000; now += 1000) queues.receive('q.fifo', 1);
    expect(bodies(queues, 'q.fifo')).toEqual(['next']);
    expect(records).toEqual(['dead.fifo']);
    expect(lines.filter((line) => JSON.stringify(line).includes('"dead"'))).toHaveLength(1);
    const again = onMemory(lines, () => now).queues;
    expect([bodies(again, 'dead.fifo'), bodies(again, 'q.fifo')]).toEqual([['poison'], ['next']]);
  });

  test('property: equal the queues before the restart, at any moment', () => {
    const action = fc.record({ kind: fc.constantFrom('send', 'receive', 'delete', 'compact'), n: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        let now = 0;
        const { queues, lines } = onMemory([], () => now);
        const receipts: string[] = [];
        for (const { kind, n } of actions) {
          now += 300;
          if (kind === 'send') queues.send('q.fifo', { body: `${now}`, group: `g${n % 2}`, dedup: `${n}` });
          else if (kind === 'receive')
            receipts.push(...queues.receive('q.fifo', n + 1).map(({ receipt }) => receipt));
          else if (kind === 'delete') queues.delete('q.fifo', receipts[n] ?? '');
          else queues.compact();
        }
        const copy = onMemory(structuredClone(lines), () => now).queues;
        now += 10_000;
        expect(everything(copy)).toEqual(everything(queues));
      }),
      { numRuns: 150 },
    );
  });

  test('kill -9 loses no acknowledged message', async () => {
    const file = join(folder.directory, 'queues.jsonl');
    const program = `
      import { openJournal } from ${JSON.stringify(join(import.meta.dirname, '../../../../../infra/local/emulator/sqs/journal.ts'))};
      import { Queues } from ${JSON.stringify(join(import.meta.dirname, '../../../../../infra/local/emulator/sqs/queues.ts'))};
      const { journal, records } = openJournal(${JSON.stringify(file)});
      let n = 0;
      const queues = new Queues(${JSON.stringify(RULES)}, journal, records, () => 1, () => String(n += 1));
      const more = () => {
        for (let i = 0; i < 20; i += 1) { queues.send('q.fifo', { body: 'x'.repeat(500), group: 'g', dedup: String(n) }); process.stdout.write(n + '\\n'); }
        setImmediate(more);
      };
      more();`;
    const script = join(folder.directory, 'writer.ts');
    writeFileSync(script, program);
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let acknowledged = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged = Number(line);
      if (acknowledged === 300) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const records = new Set(
      openJournal(file)
        .records.map((record) => JSON.stringify(record))
        .map((line) => /"id":"(\d+)"/.exec(line)?.[1]),
    );
    expect(acknowledged).toBeGreaterThanOrEqual(300);
    for (let id = 1; id <= acknowledged; id += 1) expect(records.has(String(id))).toBe(true);
  });
});

describe('the journal', () => {
  test('drops a truncated last line, and continues after it', () => {
    const file = join(folder.directory, 'j.jsonl');
    writeFileSync(file, '{"a":1}\n{"a":2');
    const { journal, records } = openJournal(file);
    expect(records).toEqual([{ a: 1 }]);
    journal.append({ a: 3 });
    journal.close();
    expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n{"a":3}\n');
  });

  test('reports a damaged line in the middle', () => {
    const file = join(folder.directory, 'j.jsonl');
    appendFileSync(file, '{"a":1}\nnonsense\n{"a":2}\n');
    expect(() => openJournal(file)).toThrow(/Line 2 of .* is damaged/);
  });

  test('is compacted when it has grown, and keeps all messages', () => {
    const { queues, lines } = onMemory([], () => 0);
    for (let n = 0; n < 7000; n += 1) {
      queues.send('q.fifo', { body: 'b', group: 'g', dedup: `${n % 10}-${n}` });
      const [received] = queues.receive('q.fifo', 1);
      queues.delete('q.fifo', received?.receipt ?? '');
    }
    // 7,000 deduplication ids still count; the 21,000 lines of the messages do not.
    expect(lines.length).toBeLessThan(21_000);
  });
});
