import * as v from 'valibot';
import { readMediaModels, toMediaOperation } from '../../video/jobs/index.ts';
import { httpUrl, oneOf, text, wholeNumber } from './value-schemas.ts';
import { readVisionOperations } from './vision-operations.ts';

/** Longest retention, in days. */
export const MAX_DAYS = 3_650;

/** The variables of the video feature. */
export const video = {
  mediaBucket: text,
  publicUrl: httpUrl,
  videoPicture: v.optional(oneOf(['url', 'data']), 'url'),
  /** Models that make videos and pictures, and operations of the vision service. Lambda has no room for two variables. */
  videoModels: v.pipe(
    v.optional(v.string(), ''),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const models = readMediaModels(dataset.value);
      const operations = readVisionOperations(dataset.value);
      const isKnown = models?.every(({ operation }) => toMediaOperation(operation) !== undefined);
      if (models !== undefined && operations !== undefined && isKnown) return { models, operations };
      addIssue({
        message:
          'must be [operation=]name[:field[:price]], operation=/path or links=https://host, separated by commas',
      });
      return NEVER;
    }),
  ),
  mediaDays: v.optional(wholeNumber(MAX_DAYS), '30'),
};
