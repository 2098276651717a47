;;; test.el --- loopls in Emacs with eglot, as docs/editors.md sets it up  -*- lexical-binding: t -*-

;; Run as:
;;
;;   LOOPLS=/path/of/loopls emacs -q --batch -l editors/emacs/test.el
;;
;; Prints one line a test and, last, `N passed, N failed'; exit status 1 when a test failed.  Not `-Q': eglot may be a
;; package of the system's.

(require 'cl-lib)
(require 'ert)
(require 'eglot)

(defconst test-repository
  (expand-file-name "../.." (file-name-directory (or load-file-name buffer-file-name))))

(defun test-read (path)
  "The text of the file at PATH of the repository."
  (with-temp-buffer
    (insert-file-contents (expand-file-name path test-repository))
    (buffer-string)))

;; What the page tells a person to put into their configuration is what is tested.
(let ((page (test-read "docs/editors.md"))
      (case-fold-search nil))
  (unless (string-match "\n## Emacs.*\n\\(?:.*\n\\)*?```elisp\n\\(\\(?:.*\n\\)*?\\)```" page)
    (error "No configuration for Emacs in docs/editors.md"))
  (with-temp-buffer
    (insert (match-string 1 page))
    (eval-buffer)))

(push (file-name-directory (getenv "LOOPLS")) exec-path)
(setenv "PATH" (concat (file-name-directory (getenv "LOOPLS")) path-separator (getenv "PATH")))

;;; What a person sees and answers

(defvar test-answers nil "What is chosen next, each a choice or what it begins with.")
(defvar test-questions nil "The questions that came, the newest first, each with its choices.")
(defvar test-messages nil "The messages that came, the newest first.")

(defun test-choose (prompt choices &rest _)
  "Answer the question PROMPT by the next of `test-answers' among CHOICES."
  (let* ((titles (all-completions "" choices))
         (answer (pop test-answers))
         (title (cl-find-if (lambda (title) (string-prefix-p answer title)) titles)))
    (push (cons prompt titles) test-questions)
    (or title (error "No choice `%s' among %S" answer titles))))

(defun test-message (format &rest arguments)
  "Keep the message that FORMAT and ARGUMENTS make."
  (when format
    (push (apply #'format-message format arguments) test-messages)))

(defun test-wait (what condition)
  "Wait until CONDITION is true, and return what it came to; WHAT says what for.
The 20 seconds are a bound for a machine under load."
  (let ((end (+ (float-time) 20))
        value)
    (while (not (setq value (funcall condition)))
      (when (> (float-time) end)
        (error "Waited in vain for %s" what))
      (accept-process-output nil 0.02))
    value))

(defmacro test-with-definition (&rest body)
  "Evaluate BODY in a buffer with a definition that has one misspelt key, served by loopls."
  (declare (indent 0))
  `(let* ((folder (file-name-as-directory (make-temp-file "loopls" t)))
          (file (expand-file-name "typo.loop.toml" folder))
          (process-environment (cons (concat "XDG_STATE_HOME=" folder) process-environment))
          (eglot-confirm-server-initiated-edits nil)
          (last-nonmenu-event t)
          (test-answers nil)
          (test-questions nil)
          (test-messages nil))
     (copy-file (expand-file-name "editors/nvim/tests/fixtures/typo.loop.toml" test-repository) file)
     (cl-letf (((symbol-function 'completing-read) #'test-choose)
               ((symbol-function 'message) #'test-message))
       (with-current-buffer (find-file-noselect file)
         (switch-to-buffer (current-buffer))
         (unwind-protect
             (progn
               (call-interactively #'eglot)
               (test-wait "the server" #'eglot-managed-p)
               ,@body)
           (set-buffer-modified-p nil)
           (eglot-shutdown (eglot-current-server))
           (kill-buffer)
           (delete-directory folder t))))))

(defun test-put-point (text)
  "Put point on the first TEXT of the buffer."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun test-marked ()
  "What the diagnostics of the buffer mark, each with its message."
  (mapcar (lambda (diagnostic)
            (cons (buffer-substring-no-properties (flymake-diagnostic-beg diagnostic)
                                                  (flymake-diagnostic-end diagnostic))
                  (flymake-diagnostic-text diagnostic)))
          (flymake-diagnostics)))

(defun test-wait-marked ()
  "Wait for the diagnostic of the definition."
  (flymake-start)
  (test-wait "a diagnostic" #'test-marked))

(defun test-act (&rest answers)
  "Choose the code action that the first of ANSWERS begins; the others answer what is asked then."
  (setq test-answers answers)
  (call-interactively #'eglot-code-actions))

;;; The tests

(ert-deftest a-definition-has-its-mode ()
  (dolist (case '(("/a/x.loop.toml" . loop-toml-mode) ("/a/loop.toml" . loop-toml-mode)
                  ("/a/Cargo.toml" . conf-toml-mode) ("/a/noloop.toml" . conf-toml-mode)))
    (should (eq (assoc-default (car case) auto-mode-alist #'string-match) (cdr case)))))

(ert-deftest the-misspelt-key-is-marked ()
  (test-with-definition
    (let ((marked (test-wait-marked)))
      (should (equal (mapcar #'car marked) '("promt")))
      (should (string-match-p "prompt" (cdar marked))))))

(ert-deftest hover-on-a-mode-shows-its-limits-and-where-they-are-from ()
  (test-with-definition
    (test-put-point "\"short\"\nlimits")
    (call-interactively #'eldoc)
    (let ((shown (test-wait "the hover"
                            (lambda ()
                              ;; There is no such buffer before the first hover.
                              (ignore-errors
                                (with-current-buffer (window-buffer (eldoc-doc-buffer))
                                  (and (string-match-p "iterations" (buffer-string))
                                       (buffer-string))))))))
      (should (string-match-p "iterations.*4.*mode" shown))
      (should (string-match-p "calls.*100.*default" shown)))))

(ert-deftest a-key-that-is-begun-is-completed ()
  (test-with-definition
    (test-put-point "iterations = 9")
    (insert "para\n")
    (backward-char)
    (completion-at-point)
    (should (string-match-p "^parallel = $" (buffer-string)))))

(ert-deftest the-quick-fix-puts-the-key-right ()
  (test-with-definition
    (test-wait-marked)
    (test-put-point "promt")
    (test-act "Change")
    (goto-char (point-min))
    (should (search-forward "\nprompt = \"How late is it?\"" nil t))
    (save-buffer)
    (test-wait "the diagnostic to go" (lambda () (flymake-start) (not (test-marked))))))

(ert-deftest a-tool-is-found-and-renamed-where-it-is-called ()
  (test-with-definition
    (test-put-point "\"look\" }]")
    (call-interactively #'xref-find-definitions)
    (should (looking-at-p "\"look\"\ndescription"))
    (eglot-rename "glance")
    (should (string-match-p "calls = \\[{ tool = \"glance\" }\\]" (buffer-string)))
    (should (string-match-p "^name = \"glance\"$" (buffer-string)))))

(ert-deftest formatting-keeps-comments ()
  (test-with-definition
    (let ((before (buffer-string)))
      (test-put-point " = 9")
      (delete-char 1)
      (eglot-format-buffer)
      (should (equal (buffer-string) before)))))

(ert-deftest the-code-action-runs-the-loop-as-shown ()
  (test-with-definition
    (test-put-point "promt")
    (delete-region (point) (+ (point) 5))
    (insert "prompt")
    ;; Nobody has said yet whether the folder is trusted.
    (test-act "Run" "Once")
    (test-wait "the message at the end"
               (lambda () (cl-find-if (lambda (message) (string-match-p "Late enough" message)) test-messages)))
    (should (string-match-p "`echo`" (caar test-questions)))
    (should (member "No" (cdar test-questions)))))

(let* ((stats (ert-run-tests-batch))
       (failed (ert-stats-completed-unexpected stats)))
  (princ (format "%d passed, %d failed\n" (ert-stats-completed-expected stats) failed))
  (kill-emacs (if (zerop failed) 0 1)))

;;; test.el ends here
