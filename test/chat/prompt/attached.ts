import { DEFAULTS, type ModelFacts } from '../../../shared/ports/index.ts';
import { streamsOnly } from '../../fakes/streams-only.ts';
import { BARE } from '../../fakes/bare-context.ts';
import type { Attachment } from '../../../shared/domain/index.ts';
import {
  readAttachments,
  type ReadAttachmentsContext,
} from '../../../shared/chat/prompt/read-attachments.ts';
import type { Locale } from '../../../shared/i18n/index.ts';
import { MemoryPermit } from '../../../shared/runtime/byte-budget.ts';
import { TestTime } from '../../upstream/time.ts';
import { fakePlatform, TURN } from '../completion-harness.ts';

export const PNG = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1');

/** Attaches files to a question, each with its name. */
export async function attached(
  files: Readonly<Record<string, Uint8Array | Error | string>>,
  choices: {
    question?: string;
    facts?: ModelFacts;
    mimetype?: string;
    /** The size of each file, as the platform reports it. */
    bytes?: number | Readonly<Record<string, number>>;
    hearing?: ReadAttachmentsContext['transcription'];
    locale?: Locale;
    /** The names of files of an earlier answer. */
    earlier?: readonly string[];
  } = {},
) {
  const {
    question = 'What is this?',
    facts,
    mimetype = '',
    bytes = 10,
    hearing,
    locale = 'en',
    earlier = [],
  } = choices;
  const entries = Object.entries(files).map(
    ([name, file]) => [name, typeof file === 'string' ? Buffer.from(file) : file] as const,
  );
  const attachments: Attachment[] = entries.map(([name]) => ({
    id: name,
    name,
    mimetype,
    bytes: typeof bytes === 'number' ? bytes : (bytes[name] ?? 10),
  }));
  const isNew = ({ name }: Attachment): boolean => !earlier.includes(name);
  const logged: string[] = [];
  const requestedNames: (string | undefined)[] = [];
  const context = {
    ...BARE,
    settings: DEFAULTS,
    platform: fakePlatform(Object.fromEntries(entries)),
    chat: {
      ...streamsOnly,
      stream: () => {
        throw new Error('the model is not asked here');
      },
      model: 'model-a',
      modelFacts: (model?: string) => {
        requestedNames.push(model);
        return Promise.resolve(facts ?? { images: true, modelsWithImages: ['model-a'] });
      },
    },
    log: (event: string) => logged.push(event),
    ...(hearing && { transcription: hearing }),
  };
  return {
    ...(await readAttachments(TURN, question, attachments.filter(isNew), context, {
      earlier: attachments.filter((one) => !isNew(one)),
      locale: Promise.resolve(locale),
      memoryPermit: new MemoryPermit({
        budget: BARE.memory,
        movesLarge: false,
        time: new TestTime(),
        signal: new AbortController().signal,
        deadlineMs: Infinity,
      }),
    })),
    logged,
    requestedNames,
  };
}
