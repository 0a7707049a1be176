import type { AdaptBody, CallOptions } from '../config.ts';
import { BadRequestError } from '../errors.ts';
import type { Client } from '../http/client.ts';
import { calculateOutputBudget } from '../models/budget.ts';
import { type Calibration, estimateRequest, estimateText } from '../models/estimate.ts';
import {
  type FittedRequest,
  fitRequest,
  omitField,
  omitFields,
  supportsRequest,
} from '../models/fit-request.ts';
import type { Model } from '../models/model.ts';
import type { Models } from '../models/models.ts';
import {
  ABSENT_REASONING,
  isAboutValue,
  isReplaceable,
  getRejectedField,
  type RejectedFields,
  withoutRejected,
} from '../models/rejected-fields.ts';
import { buildLegacyBody } from './legacy-request.ts';
import { buildBody } from './request.ts';
import type { RequestPlan } from './stream.ts';
import type { ChatOptions, ChatRequest } from '../chat-types.ts';

/** The dependencies of a request plan. */
export type PlanContext = {
  readonly client: Client;
  readonly models: Models;
  readonly calibration: Calibration;
  readonly maxTokens: number;
  readonly fitToModel: boolean;
  readonly adaptBody: AdaptBody;
  /** What servers rejected before. */
  readonly rejectedFields: RejectedFields;
  /** The models, with the effort of the request, whose last answer had the end tag of its reasoning only (`</think>`). */
  readonly endTagOnly: Set<string>;
};

/**
 * Creates the plan for a request. A fitted plan (`fitToModel`, `lookUpModel`) leaves out what each model does not support,
 * limits the output to what the context leaves, drops stand-in models that cannot answer, and leaves out each field that
 * the server rejects with a 400, once.
 */
export function createPlan(
  request: ChatRequest,
  stream: boolean,
  context: PlanContext,
  options: ChatOptions,
): RequestPlan {
  const { client, models, calibration } = context;
  const { isFitted, lookUpModel, fit, rejectedBy, adaptRequest } = createFitting(request, context, options);
  const estimates = new Map<string, number>();
  return {
    models: async () => {
      const chain = [request.model, ...(options.standIns ?? [])];
      if (!isFitted || chain.length === 1) return chain;
      const supported: string[] = [];
      for (const id of chain) {
        const model = await lookUpModel(id);
        if (model === undefined || supportsRequest(request, model)) supported.push(id);
      }
      return supported.length > 0 ? supported : chain;
    },
    bodyFor: async (id) => {
      const model = await lookUpModel(id);
      const fitted = fit(id, model);
      const requestedTokens = request.maxTokens ?? context.maxTokens;
      const returnsReasoning = rejectedBy(id).includes(ABSENT_REASONING);
      const returned = returnsReasoning ? findReasoning(request, id) : [];
      const estimate = isFitted
        ? returned.reduce((sum, text) => sum + estimateText(text), estimateRequest(fitted.request))
        : 0;
      estimates.set(id, estimate);
      const maxTokens =
        model === undefined
          ? requestedTokens
          : getMaxTokens(model, requestedTokens, estimate * calibration.factor(id));
      const completeRequest = { ...fitted.request, model: id, maxTokens, returnsReasoning };
      const { body, omitted } =
        client.shape === 'legacy'
          ? buildLegacyBody(completeRequest, stream)
          : buildBody(completeRequest, stream);
      return {
        body: context.adaptBody(withoutRejected(body, rejectedBy(id)), id),
        omitted: [...new Set([...fitted.omitted, ...omitted])],
        mayReason: model?.features?.includes('reasoning') ?? true,
      };
    },
    adaptRequest,
    ...createEndTagRecord(request, context),
    onCompletion: ({ model, usage }) => {
      // The served model's name may be longer than the requested one; estimates are stored by the requested name.
      const id = estimates.has(model) ? model : [...estimates.keys()].at(-1);
      if (id !== undefined && usage !== undefined)
        calibration.learn(id, estimates.get(id) ?? 0, usage.promptTokens);
    },
    onError: ({ kind }) => {
      if (kind === 'unknown-model') models.clearCache();
    },
  };
}

/** Some models reason only with an effort, so another effort says nothing about the next answer. */
function createEndTagRecord(
  { reasoningEffort }: ChatRequest,
  { endTagOnly }: PlanContext,
): Pick<RequestPlan, 'startsInReasoning' | 'recordEndTag'> {
  const toEntry = (model: string): string => `${model} ${reasoningEffort ?? ''}`;
  return {
    startsInReasoning: (model) => endTagOnly.has(toEntry(model)),
    recordEndTag: (model, hasEndTagOnly) => {
      if (hasEndTagOnly) endTagOnly.add(toEntry(model));
      else endTagOnly.delete(toEntry(model));
    },
  };
}

/** How a request is fitted to models: as the list says, and without what the server rejects. */
type Fitting = Pick<RequestPlan, 'adaptRequest'> & {
  readonly isFitted: boolean;
  /** Undefined when nothing is known of the model. */
  readonly lookUpModel: (id: string) => Promise<Model | undefined>;
  readonly fit: (id: string, model: Model | undefined) => FittedRequest;
  /** The fields, as on the wire, that the model's server rejected. */
  readonly rejectedBy: (id: string) => readonly string[];
};

function createFitting(
  request: ChatRequest,
  { models, fitToModel, rejectedFields }: PlanContext,
  options: ChatOptions,
): Fitting {
  const isFitted = fitToModel || options.lookUpModel !== undefined;
  const rejected = new Map<string, string[]>();
  const rejectedBy: Fitting['rejectedBy'] = (id) =>
    isFitted ? [...new Set([...rejectedFields.of(id), ...(rejected.get(id) ?? [])])] : [];
  return {
    isFitted,
    rejectedBy,
    lookUpModel: async (id) => {
      if (options.lookUpModel !== undefined) return options.lookUpModel(id);
      return isFitted ? findModel(models, id, options) : undefined;
    },
    fit: (id, model) => {
      if (!isFitted) return { request, omitted: [] };
      const fitted = model === undefined ? { request, omitted: [] } : fitRequest(request, model);
      const rest = omitFields(fitted.request, rejectedBy(id));
      return { request: rest.request, omitted: [...fitted.omitted, ...rest.omitted] };
    },
    adaptRequest: (error, id) => {
      const field = isFitted ? getRejectedField(error) : undefined;
      const before = rejected.get(id) ?? [];
      if (field === undefined || before.includes(field)) return false;
      const isReturned = field === ABSENT_REASONING && findReasoning(request, id).length > 0;
      if (omitField(request, field) === undefined && !isReplaceable(field, error) && !isReturned)
        return false;
      rejected.set(id, [...before, field]);
      if (!isAboutValue(error)) rejectedFields.add(id, field);
      return true;
    },
  };
}

/** The reasoning of the model's own messages that call tools. */
const findReasoning = ({ messages }: ChatRequest, id: string): string[] =>
  messages.flatMap((message) =>
    message.role === 'assistant' && message.origin?.model === id ? [message.origin.reasoning] : [],
  );

/** Returns undefined when the model list is unavailable: that must not prevent the chat request. */
async function findModel(models: Models, id: string, options: CallOptions): Promise<Model | undefined> {
  const { signal, deadline } = options;
  try {
    return await models.get(id, { signal, deadline });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return undefined;
  }
}

function getMaxTokens(model: Model, requestedTokens: number, promptTokens: number): number {
  const budget = calculateOutputBudget(requestedTokens, promptTokens, model);
  if (budget.kind === 'room') return budget.maxTokens;
  throw new BadRequestError(`The prompt is about ${budget.excess} tokens too long for ${model.id}.`, {
    code: 'context_length_exceeded',
    param: 'messages',
  });
}
