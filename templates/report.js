// Values of marks under a pointer, a finger or the arrow keys. Without it a browser shows a mark's title.
(() => {
  const tip = document.getElementById("tip");
  const hide = () => { tip.style.display = "none"; };
  const show = (mark) => {
    const box = mark.getBoundingClientRect();
    tip.textContent = mark.dataset.says;
    tip.style.display = "block";
    const left = Math.min(Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${(above > 4 ? above : box.bottom + 8) + scrollY}px`;
  };
  for (const figure of document.querySelectorAll("figure")) {
    const marks = [...figure.querySelectorAll(".m")];
    let at = -1;
    for (const mark of marks) {
      const title = mark.querySelector("title");
      if (title) { mark.dataset.says = title.textContent; title.remove(); }
    }
    if (!marks.length) continue;
    figure.tabIndex = 0;
    const point = (event) => {
      let best = -1, least = 32;
      marks.forEach((mark, i) => {
        const box = mark.getBoundingClientRect();
        const dx = Math.max(box.left - event.clientX, 0, event.clientX - box.right);
        const dy = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
        if (Math.hypot(dx, dy) < least) { least = Math.hypot(dx, dy); best = i; }
      });
      if (best < 0) return hide();
      at = best;
      show(marks[at]);
    };
    figure.addEventListener("pointermove", point);
    figure.addEventListener("click", point);
    figure.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
    figure.addEventListener("blur", hide);
    figure.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!by) return;
      event.preventDefault();
      at = (at + by + marks.length) % marks.length;
      show(marks[at]);
    });
  }
  // Only what scrolls is a stop of the Tab key.
  const stops = document.querySelectorAll(".scroll, pre");
  const set = () => stops.forEach((box) => { box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1; });
  addEventListener("resize", set);
  addEventListener("toggle", set, true);
  set();
})();
