// Comfort only: every view works without this.
"use strict";

// Ctrl or Cmd with Enter sends the form that is written in.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.closest?.("form")?.requestSubmit();
});

// Keys of the buttons of a form, while the focus is in it.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  event.target.closest?.("form.judge")?.querySelector(`button[data-key="${CSS.escape(event.key)}"]`)?.click();
});

// A form that was sent says so, and is not sent twice.
document.addEventListener("submit", (event) => {
  for (const button of event.target.querySelectorAll("button")) button.setAttribute("aria-disabled", "true");
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});

// Back in the history, forms can be sent again.
window.addEventListener("pageshow", () => {
  for (const form of document.forms) {
    delete form.dataset.sent;
    for (const button of form.querySelectorAll("button")) button.removeAttribute("aria-disabled");
  }
});
