/** A model of the list, with properties that only the simulator knows. */
export type Model = {
  readonly id: string;
  readonly description: string;
  readonly input: readonly string[];
  readonly context: number;
  readonly maxOutput: number;
  readonly prices: Readonly<
    Record<'prompt' | 'completion' | 'image' | 'request' | 'input_cache_read', string>
  >;
  readonly sampling: readonly string[];
  readonly features: readonly string[];
  /** Whether it can call tools and return log probabilities, if its features list that too. */
  readonly nativeTools: boolean;
  readonly nativeLogprobs: boolean;
  readonly ready: boolean;
  /** The shutdown date as `shutdown_date`, and the recommended model. */
  readonly shutdown?: { readonly date: string; readonly replacement?: string | undefined } | undefined;
  /** `tiers`: the effort changes the length of the reasoning. `fixed`: it reasons with any effort. */
  readonly reasoning: 'none' | 'tiers' | 'fixed';
  /** Also sends the reasoning as `reasoning`. */
  readonly doubled: boolean;
  /** Same seed and request, same output. */
  readonly seeded: boolean;
  readonly jsonObject: boolean;
  readonly maxImages: number;
  /** The default of `max_tokens`. */
  readonly budget: number;
};

const EVERY = ['temperature', 'top_p', 'top_k', 'max_tokens', 'stop'];
const PENALTIES = ['frequency_penalty', 'presence_penalty'];

function describe(id: string, changes: Partial<Model>): Model {
  const maxOutput = changes.maxOutput ?? 16_384;
  return {
    id,
    description: `Scripted stand-in for ${id}.`,
    input: ['text'],
    context: 131_072,
    prices: {
      prompt: '0.0000001',
      completion: '0.0000002',
      image: '0',
      request: '0',
      input_cache_read: '0.000000025',
    },
    sampling: EVERY,
    features: ['tools', 'structured_outputs', 'streaming'],
    nativeTools: true,
    nativeLogprobs: false,
    ready: true,
    reasoning: 'none',
    doubled: false,
    seeded: true,
    jsonObject: true,
    maxImages: 16,
    budget: Math.min(1024, maxOutput),
    ...changes,
    maxOutput,
  };
}

const THINKING = ['tools', 'structured_outputs', 'reasoning', 'logprobs', 'streaming'];

/** The models of the document, with the parameters that it declares for each. */
export const MODELS: readonly Model[] = [
  describe('model-a', {
    sampling: EVERY,
    features: THINKING,
    nativeLogprobs: true,
    reasoning: 'tiers',
    seeded: false,
  }),
  describe('model-b', {
    sampling: [...EVERY, 'repetition_penalty', 'frequency_penalty'],
    features: THINKING,
    nativeLogprobs: true,
    reasoning: 'tiers',
    doubled: true,
    seeded: false,
  }),
  describe('model-c', {
    sampling: [...EVERY, 'repetition_penalty', ...PENALTIES, 'seed'],
    features: ['tools', 'structured_outputs', 'logprobs', 'streaming'],
    nativeLogprobs: true,
    input: ['text', 'image'],
  }),
  describe('model-d', {
    sampling: [...EVERY, 'repetition_penalty', ...PENALTIES, 'seed'],
    features: THINKING,
    nativeLogprobs: true,
    reasoning: 'fixed',
  }),
  describe('model-e', {
    sampling: [...EVERY, 'min_p', 'repetition_penalty', ...PENALTIES, 'logit_bias', 'seed'],
    input: ['text', 'image', 'audio'],
    context: 262_144,
    maxOutput: 32_768,
  }),
  describe('vendor-edge-2603', {
    sampling: [...EVERY, ...PENALTIES, 'seed'],
    input: ['text', 'image'],
    context: 16_384,
    maxOutput: 14_745,
    jsonObject: false,
    maxImages: 3,
  }),
  describe('vendor-flash-3', {
    sampling: [...EVERY, ...PENALTIES, 'seed'],
    features: ['structured_outputs', 'streaming'],
    nativeTools: false,
    input: ['text', 'image', 'video'],
    context: 65_536,
    maxOutput: 58_982,
    jsonObject: false,
  }),
  describe('vendor-flash', {
    sampling: [...EVERY, ...PENALTIES, 'seed'],
    input: ['text', 'image'],
    context: 32_768,
    maxOutput: 32_768,
    jsonObject: false,
  }),
];

/** A model as `GET /v1/models` shows it. */
export function listed(model: Model, created: number): Record<string, unknown> {
  return {
    id: model.id,
    object: 'model',
    created,
    owned_by: model.id.startsWith('vendor-') ? 'vendor' : 'third-party',
    name: model.id,
    description: model.description,
    input_modalities: model.input,
    output_modalities: ['text'],
    context_length: model.context,
    max_output_length: model.maxOutput,
    pricing: model.prices,
    supported_sampling_parameters: model.sampling,
    supported_features: model.features,
    hugging_face_id: model.id.startsWith('vendor-') ? '' : `example/${model.id}`,
    is_ready: model.ready,
    ...(model.shutdown && {
      shutdown_date: model.shutdown.date,
      deprecation_replacement_model: model.shutdown.replacement ?? null,
    }),
  };
}

/** The model that further ones are like. */
const ORDINARY = 'vendor-edge-2603';

/** Returns models with these ids; those that exist already are left out. */
export const createExtraModels = (ids: readonly string[]): Model[] =>
  MODELS.filter(({ id }) => id === ORDINARY).flatMap((model) =>
    ids.filter((id) => !MODELS.some((one) => one.id === id)).map((id) => ({ ...model, id })),
  );
