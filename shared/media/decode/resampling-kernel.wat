;; The inner loop of the resampler. It multiplies four numbers at once, which JavaScript cannot: plain TypeScript takes eight
;; times as long or more. Most recordings spend most of their decoding time here.
;;
;; `npm run build:kernel` assembles this file into resampling-kernel-code.ts. A test compares the two.

(module
  ;; The caller's memory: input samples, filters and output, all 32-bit floats.
  (import "own" "memory" (memory 0))

  ;; Positions and lengths are in bytes. resampling-kernel.ts passes the parameters in this order.
  (func (export "run")
    (param $samples i32) ;; first input sample of the next output number
    (param $filters i32) ;; all filters, one after another
    (param $out i32)     ;; next output number
    (param $end i32)     ;; end of the output
    (param $width i32)   ;; length of a filter, a multiple of 16
    (param $up i32)      ;; number of filters
    (param $step i32)    ;; the samples advance by this for each output number
    (param $turn i32)    ;; the filter advances by this many filters for each output number
    (param $phase i32)   ;; index of the filter of the next output number
    (local $sample i32)
    (local $tap i32)
    (local $last i32)
    (local $sum v128)

    (loop $next_output
      (local.set $tap (i32.add (local.get $filters) (i32.mul (local.get $phase) (local.get $width))))
      (local.set $last (i32.add (local.get $tap) (local.get $width)))
      (local.set $sample (local.get $samples))
      (local.set $sum (v128.const f32x4 0 0 0 0))

      ;; sum += four samples * four taps
      (loop $next_taps
        (local.set $sum
          (f32x4.add
            (f32x4.mul (v128.load align=4 (local.get $sample)) (v128.load align=4 (local.get $tap)))
            (local.get $sum)))
        (local.set $sample (i32.add (local.get $sample) (i32.const 16)))
        (local.set $tap (i32.add (local.get $tap) (i32.const 16)))
        (br_if $next_taps (i32.lt_u (local.get $tap) (local.get $last))))

      ;; out = the sum of the four lanes
      (f32.store (local.get $out)
        (f32.add
          (f32.add (f32x4.extract_lane 0 (local.get $sum)) (f32x4.extract_lane 1 (local.get $sum)))
          (f32.add (f32x4.extract_lane 2 (local.get $sum)) (f32x4.extract_lane 3 (local.get $sum)))))

      (local.set $samples (i32.add (local.get $samples) (local.get $step)))
      (local.set $phase (i32.add (local.get $phase) (local.get $turn)))
      ;; After the last filter the first one follows, one sample (4 bytes) later.
      (if (i32.ge_u (local.get $phase) (local.get $up))
        (then
          (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
          (local.set $samples (i32.add (local.get $samples) (i32.const 4)))))

      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $next_output (i32.lt_u (local.get $out) (local.get $end))))))
